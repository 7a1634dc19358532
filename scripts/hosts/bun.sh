#!/usr/bin/env bash
# Bun, which makes the single executables, from npm's registry. Prints where it is.
set -euo pipefail
exec node "$(dirname "${BASH_SOURCE[0]}")/../bun.mjs" "$@"

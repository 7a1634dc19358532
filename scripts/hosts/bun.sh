#!/usr/bin/env bash
# Bun, which builds the single executables, from the npm registry. Prints where it is.
set -euo pipefail
exec node "$(dirname "${BASH_SOURCE[0]}")/../bun.mjs" "$@"

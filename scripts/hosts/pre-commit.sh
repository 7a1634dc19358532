#!/usr/bin/env bash
# pre-commit, from Debian's packages. Prints where it is.
set -euo pipefail

if ! type -P pre-commit >/dev/null; then
  if [[ ${1:-} == --where ]]; then
    echo "pre-commit is not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends pre-commit >&2
fi
type -P pre-commit

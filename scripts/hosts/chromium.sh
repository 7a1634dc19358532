#!/usr/bin/env bash
# A browser for the tests of the HTML reports: Debian's chromium. Prints where it is.
set -euo pipefail

if ! command -v chromium; then
  if [[ ${1:-} == --where ]]; then
    echo "chromium is not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "installing chromium" >&2
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >&2
  command -v chromium
fi

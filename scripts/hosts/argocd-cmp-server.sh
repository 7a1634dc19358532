#!/usr/bin/env bash
# Argo CD's plugin server, and a client that calls it like the repo-server, from Argo CD's own module
# (argocd-cmp-server/go.mod). Prints the folder with `server` and `client`. The first run takes minutes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/argocd-cmp-server" && pwd)
cache=${ROLLSTAMP_CACHE:-$here/../../../.cache}
mkdir -p "$cache"
version=$(awk '$1 == "require" && $2 == "github.com/argoproj/argo-cd/v3" { print $3 }' "$here/go.mod")
out=$(cd "$cache" && pwd)/argocd-cmp-server-$version-$(cat "$here"/{client,server}/main.go | sha256sum | cut -c1-8)

if [[ ! -x $out/server || ! -x $out/client ]]; then
  if [[ ${1:-} == --where ]]; then
    echo "argocd-cmp-server $version is not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "building argocd-cmp-server $version" >&2
  # Built beside its place and renamed: a stopped build leaves nothing that looks finished.
  mkdir -p "$out"
  work=$(mktemp -d "$out/.building-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$here" && CGO_ENABLED=0 nice go build -mod=readonly -trimpath -ldflags "-s -w" -o "$work/" ./server ./client) >&2
  mv -f "$work/server" "$work/client" "$out/"
fi
echo "$out"

#!/usr/bin/env bash
# What Flux builds of Kustomizations, as one program (flux-builds/main.go). Prints where it is. The first run takes a
# minute of two cores.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/flux-builds" && pwd)
cache=${ROLLSTAMP_CACHE:-$here/../../../.cache}
mkdir -p "$cache"
program=$(cd "$cache" && pwd)/flux-builds-$(cat "$here"/{main.go,go.mod,go.sum} | sha256sum | cut -c1-8)/flux-builds

if [[ ! -x $program ]]; then
  if [[ ${1:-} == --where ]]; then
    echo "flux-builds is not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "building flux-builds" >&2
  # Built beside its place and renamed: a stopped build must leave nothing that looks finished.
  mkdir -p "${program%/*}"
  work=$(mktemp -d "${program%/*}/.building-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$here" && CGO_ENABLED=0 GOFLAGS=-modcacherw nice go build -mod=readonly -trimpath -ldflags "-s -w" -o "$work/" .) >&2
  mv -f "$work/flux-builds" "$program"
fi
echo "$program"

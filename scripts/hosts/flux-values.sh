#!/usr/bin/env bash
# What Flux makes of the values of a HelmRelease, as one program (flux-values/main.go). Prints where it is. The first run takes
# a minute of two cores.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/flux-values" && pwd)
cache=${ROLLSTAMP_CACHE:-$here/../../../.cache}
mkdir -p "$cache"
program=$(cd "$cache" && pwd)/flux-values-$(cat "$here"/{main.go,go.mod,go.sum} | sha256sum | cut -c1-8)/flux-values

if [[ ! -x $program ]]; then
  if [[ ${1:-} == --where ]]; then
    echo "flux-values is not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "building flux-values" >&2
  # Built beside its place and renamed: a stopped build must leave nothing that looks finished.
  mkdir -p "${program%/*}"
  work=$(mktemp -d "${program%/*}/.building-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$here" && CGO_ENABLED=0 GOFLAGS=-modcacherw nice go build -mod=readonly -trimpath -ldflags "-s -w" -o "$work/" .) >&2
  mv -f "$work/flux-values" "$program"
fi
echo "$program"

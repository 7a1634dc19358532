#!/usr/bin/env bash
# Go's readers of YAML as one program (go-readers/main.go). Prints where it is.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/go-readers" && pwd)
cache=${ROLLSTAMP_CACHE:-$here/../../../.cache}
mkdir -p "$cache"
program=$(cd "$cache" && pwd)/go-readers-$(cat "$here"/{main.go,go.mod,go.sum} | sha256sum | cut -c1-8)/go-readers

if [[ ! -x $program ]]; then
  if [[ ${1:-} == --where ]]; then
    echo "go-readers is not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "building go-readers" >&2
  # Built beside its place and renamed: a stopped build must leave nothing that looks finished.
  mkdir -p "${program%/*}"
  work=$(mktemp -d "${program%/*}/.building-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$here" && CGO_ENABLED=0 GOFLAGS=-modcacherw nice go build -mod=readonly -trimpath -ldflags "-s -w" -o "$work/" .) >&2
  mv -f "$work/go-readers" "$program"
fi
echo "$program"

#!/usr/bin/env bash
# What Argo CD makes of ApplicationSets and of kustomizations, as one program (argocd-sets). Prints where it is. The first run takes
# some minutes of two cores.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/argocd-sets" && pwd)
cache=${ROLLSTAMP_CACHE:-$here/../../../.cache}
mkdir -p "$cache"
program=$(cd "$cache" && pwd)/argocd-sets-$(cat "$here"/{main.go,kustomize.go,go.mod,go.sum} | sha256sum | cut -c1-8)/argocd-sets

if [[ ! -x $program ]]; then
  if [[ ${1:-} == --where ]]; then
    echo "argocd-sets is not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "building argocd-sets" >&2
  # Built beside its place and renamed: a stopped build must leave nothing that looks finished.
  mkdir -p "${program%/*}"
  work=$(mktemp -d "${program%/*}/.building-XXXXXX")
  trap 'rm -rf "$work"' EXIT
  (cd "$here" && CGO_ENABLED=0 GOFLAGS=-modcacherw nice go build -mod=readonly -trimpath -ldflags "-s -w" -o "$work/" .) >&2
  mv -f "$work/argocd-sets" "$program"
fi
echo "$program"

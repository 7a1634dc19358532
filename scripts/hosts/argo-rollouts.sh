#!/usr/bin/env bash
# The controller of Argo Rollouts (argo-rollouts/go.mod) and its CRDs. Prints the folder with `rollouts-controller` and
# crds/*.yaml. The first run takes minutes.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")/argo-rollouts" && pwd)
cache=${ROLLSTAMP_CACHE:-$here/../../../.cache}
mkdir -p "$cache"
version=$(awk '$1 == "require" && $2 == "github.com/argoproj/argo-rollouts" { print $3 }' "$here/go.mod")
out=$(cd "$cache" && pwd)/argo-rollouts-$version

if [[ ! -x $out/rollouts-controller ]]; then
  if [[ ${1:-} == --where ]]; then
    echo "argo-rollouts $version is not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "building argo-rollouts $version" >&2
  mkdir -p "$out"
  # Only one run builds.
  exec 9>"$out/.lock"
  flock 9
  if [[ ! -x $out/rollouts-controller ]]; then
    # Built beside its place and renamed: a stopped build leaves nothing that looks finished.
    work=$(mktemp -d "$out/.building-XXXXXX")
    trap 'rm -rf "$work"' EXIT
    (
      cd "$here"
      CGO_ENABLED=0 nice go build -mod=readonly -trimpath -ldflags "-s -w" -o "$work/" \
        github.com/argoproj/argo-rollouts/cmd/rollouts-controller >&2
      # The CRDs are files of the same module version.
      mkdir "$work/crds"
      install -m 0644 "$(go list -mod=readonly -m -f '{{.Dir}}' github.com/argoproj/argo-rollouts)"/manifests/crds/*-crd.yaml "$work/crds"
    )
    rm -rf "$out/crds"
    mv "$work/crds" "$out/crds"
    mv -f "$work/rollouts-controller" "$out/"
  fi
fi
echo "$out"

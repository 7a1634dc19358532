#!/usr/bin/env bash
# kubectl from the module of the test cluster (cluster/kubernetes/go.mod). Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"

module=$go_hosts/cluster/kubernetes
version=$(awk '$1 == "require" && $2 == "k8s.io/kubernetes" { print $3 }' "$module/go.mod")

build_kubectl() {
  # Without the linker flag kubectl calls itself v0.0.0-master.
  cd "$module" &&
    CGO_ENABLED=0 nice go build -mod=readonly -trimpath -o "$1/kubectl" \
      -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$version" k8s.io/kubernetes/cmd/kubectl
}

go_once "$go_cache/kubectl-$version/kubectl" "${1:-}" build_kubectl

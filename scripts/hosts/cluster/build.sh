#!/usr/bin/env bash
# Builds the control plane of test/e2e and prints its folder:
#
#   bin/etcd                                       Debian's etcd-server, unpacked and not installed, so that no service starts
#   bin/kube-{apiserver,controller-manager,scheduler}   from the Go module k8s.io/kubernetes (kubernetes/go.mod)
#   bin/kwok, stages/*.yaml                        from the Go module sigs.k8s.io/kwok
#
# Needs Go and Debian's (or Ubuntu's) apt-get; no root, no container. The first run takes minutes; existing programs are kept. The
# folder is in ROLLSTAMP_CACHE (default: .cache), and its name contains the versions.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
KUBERNETES=$(awk '$1 == "require" && $2 == "k8s.io/kubernetes" { print $3 } $1 == "k8s.io/kubernetes" && $2 ~ /^v/ { print $2 }' "$here/kubernetes/go.mod")
KWOK=v0.8.0

cache=${ROLLSTAMP_CACHE:-$here/../../../.cache}
mkdir -p "$cache"
out=$(cd "$cache" && pwd)/cluster-kubernetes-$KUBERNETES-kwok-$KWOK
mkdir -p "$out/bin" "$out/stages"

say() { echo "cluster: $*" >&2; }

# Everything is built beside its place and renamed: a stopped build leaves nothing that looks finished.
work=$(mktemp -d "$out/.building-XXXXXX")
trap 'rm -rf "$work"' EXIT

# Only one run builds.
exec 9>"$out/.lock"
flock 9

if [[ ! -x $out/bin/etcd ]]; then
  say "etcd, from the package etcd-server"
  (
    cd "$work"
    # A fresh machine has no package lists yet.
    apt-get download --quiet etcd-server >&2 ||
      { apt-get update --quiet >&2 && apt-get download --quiet etcd-server >&2; } ||
      { say "apt-get could not download the package etcd-server"; exit 1; }
    dpkg-deb --extract etcd-server_*.deb etcd
  )
  mv "$work/etcd/usr/bin/etcd" "$out/bin/etcd"
fi

for program in kube-apiserver kube-controller-manager kube-scheduler; do
  [[ -x $out/bin/$program ]] && continue
  say "$program $KUBERNETES"
  (
    cd "$here/kubernetes"
    # As in Kubernetes' own build, the version is a linker flag. Without it the server calls itself v0.0.0-master, and clients
    # refuse to talk to it.
    CGO_ENABLED=0 nice go build -mod=readonly -trimpath -o "$work/$program" \
      -ldflags "-s -w -X k8s.io/component-base/version.gitVersion=$KUBERNETES" \
      "k8s.io/kubernetes/cmd/$program" >&2
  )
  mv "$work/$program" "$out/bin/$program"
done

if [[ ! -x $out/bin/kwok ]]; then
  say "kwok $KWOK"
  GOBIN=$work CGO_ENABLED=0 nice go install -trimpath -ldflags "-s -w" "sigs.k8s.io/kwok/cmd/kwok@$KWOK" >&2
  mv "$work/kwok" "$out/bin/kwok"
fi

# kwok simulates nodes and pods with "stages", which are files of the same module version.
if [[ -z $(ls "$out/stages") ]]; then
  module=$(cd "$work" && go mod download -json "sigs.k8s.io/kwok@$KWOK" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  stages=$module/kustomize/stage
  install -m 0644 "$stages"/node/{fast,heartbeat}/node-*.yaml "$stages"/pod/fast/pod-*.yaml "$work"
  mv "$work"/{node,pod}-*.yaml "$out/stages"
fi

echo "$out"

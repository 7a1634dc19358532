#!/usr/bin/env bash
# An image with the kustomize and the Helm of the tests, in place of the stage of the Dockerfile that compiles them with an image
# of Go. Prints its name, for the argument TOOLS of the Dockerfile.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

podman=$("$here/podman.sh" --where)/podman
kustomize=$("$here/kustomize.sh" --where)
helm=$("$here/helm3.sh" --where)
image=localhost/rollstamp-tools:$(cat "${BASH_SOURCE[0]}" "$kustomize" "$helm" | sha256sum | cut -c1-16)

if ! "$podman" image exists "$image"; then
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  mkdir -p "$root"/{bin,tools}
  cp "$kustomize" "$helm" "$root/tools/"
  # The stage checks in a shell whether both exist.
  cp -L "$(command -v sh)" "$root/bin/sh"
  ldd "$root/bin/sh" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
  done
  tar -C "$root" -c . | "$podman" import --quiet - "$image" >&2
fi
echo "$image"

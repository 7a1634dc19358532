#!/usr/bin/env bash
# The programs of the plugin's image as an image, from the kustomize and the Helm that the tests use
# anyway: the stage of the Dockerfile that compiles them needs an image of Go. Prints its name, to be
# given to the Dockerfile as its argument TOOLS.
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
  # The stage asks in a shell whether both are there.
  cp -L "$(command -v sh)" "$root/bin/sh"
  ldd "$root/bin/sh" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
  done
  tar -C "$root" -c . | "$podman" import --quiet - "$image" >&2
fi
echo "$image"

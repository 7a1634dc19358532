#!/usr/bin/env bash
# A base image from this machine's own Node and the libraries that it loads, for machines that reach
# no registry. Prints its name, to be given to the Dockerfile as the build argument for its base.
set -euo pipefail

podman=$("$(dirname "${BASH_SOURCE[0]}")/podman.sh" --where)/podman
node=$(readlink -f "$(command -v node)")
image=localhost/node:$("$node" -p 'process.version.slice(1)')

if ! "$podman" image exists "$image"; then
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  mkdir -p "$root"/{etc,tmp,usr/local/bin}
  chmod 1777 "$root/tmp"
  cp "$node" "$root/usr/local/bin/node"
  # The loader and the libraries stand where the program looks for them.
  ldd "$node" | grep -o '/[^ ]*' | while read -r library; do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
  done
  # Hosts run functions as nobody.
  printf '%s\n' root:x:0:0:root:/root:/sbin/nologin nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin >"$root/etc/passwd"
  printf '%s\n' root:x:0: nobody:x:65534: >"$root/etc/group"
  tar -C "$root" -c . | "$podman" import --quiet - "$image" >&2
fi
echo "$image"

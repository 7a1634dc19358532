#!/usr/bin/env bash
# A base image from the Node and `env` of this machine and their libraries, for machines without a registry. Prints its name,
# for the argument BASE of the Dockerfile.
set -euo pipefail

podman=$("$(dirname "${BASH_SOURCE[0]}")/podman.sh" --where)/podman
node=$(readlink -f "$(command -v node)")
# This file defines the content of the image, so its digest is part of the name.
image=localhost/rollstamp-base:$("$node" -p 'process.version.slice(1)')-$(sha256sum "${BASH_SOURCE[0]}" | cut -c1-8)

if ! "$podman" image exists "$image"; then
  root=$(mktemp -d)
  trap 'rm -rf "$root"' EXIT
  mkdir -p "$root"/{etc,tmp,usr/local/bin,usr/bin}
  chmod 1777 "$root/tmp"
  cp "$node" "$root/usr/local/bin/node"
  cp "$(command -v env)" "$root/usr/bin/env"
  # The loader and the libraries keep their paths.
  for program in "$node" "$(command -v env)"; do
    ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
      mkdir -p "$root${library%/*}"
      cp -L "$library" "$root$library"
    done
  done
  # Hosts run functions as nobody.
  printf '%s\n' root:x:0:0:root:/root:/sbin/nologin nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin >"$root/etc/passwd"
  printf '%s\n' root:x:0: nobody:x:65534: >"$root/etc/group"
  # Like Node's official images, it has an entrypoint and a command.
  tar -C "$root" -c . | "$podman" import --quiet --change 'ENTRYPOINT ["docker-entrypoint.sh"]' --change 'CMD ["node"]' - "$image" >&2
fi
echo "$image"

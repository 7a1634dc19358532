#!/usr/bin/env bash
# Builds one of the project's images as its Dockerfile says, with the files of this checkout's
# dist and without a network. Prints the image's name.
#
#   images.sh function|argocd-cmp
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
target=$1

arguments=(--build-arg "BASE=$("$here/node-image.sh")")
if [[ $target == argocd-cmp ]]; then
  arguments+=(--build-arg "TOOLS=$("$here/tools-image.sh")")
fi
podman=$("$here/podman.sh" --where)/podman
# The name tells what is in it, so that tests of two checkouts at once don't take each other's.
# scripts/image.mjs tells by the times of files whether dist is what the sources make; here it is told by their bytes, as
# whatever wrote a source again as it was would have the image build it anew, without a network.
node "$checkout/scripts/build.mjs" >&2
touch "$checkout"/dist/{rollstamp.cjs,THIRD-PARTY-LICENSES.txt}
image=localhost/rollstamp-$target:$(cat "$checkout"/dist/*.cjs "$checkout/Dockerfile" | sha256sum | cut -c1-16)
"$podman" build --quiet --network none "${arguments[@]}" --target "$target" --tag "$image" "$checkout" >/dev/null
echo "$image"

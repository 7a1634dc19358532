#!/usr/bin/env bash
# Builds one of the project's images as its Dockerfile says, with the files of this checkout's
# dist and without a network. Prints the image's name.
#
#   images.sh function|argocd-cmp
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
checkout=$(cd "$here/../.." && pwd)
target=$1

bin=$("$here/podman.sh" --where)

# scripts/image.mjs tells by the times of files whether dist is what the sources make; here it is told by their bytes, as
# whatever wrote a source again as it was would have the image build it anew, without a network.
node "$checkout/scripts/build.mjs" >&2
touch "$checkout"/dist/{*.cjs,THIRD-PARTY-LICENSES.txt}
# The name tells what is in it, so that tests of two checkouts at once don't take each other's.
image=localhost/rollstamp-$target:$(cat "$checkout"/dist/*.cjs "$checkout/Dockerfile" | sha256sum | cut -c1-16)

build() {
  local base tools=
  base=$("$here/node-image.sh") || return
  [[ $target != argocd-cmp ]] || tools=$("$here/tools-image.sh") || return
  "$bin/podman" build --quiet --network none --build-arg "BASE=$base" ${tools:+--build-arg "TOOLS=$tools"} \
    --target "$target" --tag "$image" "$checkout" >/dev/null
}

if ! build; then
  # A machine that was stopped while podman wrote may leave a store of which it can't read layers. It is the user's, and
  # is left as it is: ours begins beside it. Of two builds at once the first decides where.
  echo "trying it once more in a store of its own" >&2
  # podman takes no longer path than 50 characters for what it runs.
  (set -o noclobber && mktemp -d /tmp/rollstamp-XXXXXX >"$bin/own-store") 2>/dev/null || true
  build
fi
echo "$image"

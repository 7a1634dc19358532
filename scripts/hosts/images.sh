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

# scripts/image.mjs compares the times of dist and the sources. The build below compares bytes, and the touch makes dist newer:
# a source that was rewritten without a change must not make the image build again, which has no network.
node "$checkout/scripts/build.mjs" >&2
touch "$checkout"/dist/{*.cjs,THIRD-PARTY-LICENSES.txt}
# The name contains a digest of the content, so that two checkouts do not use each other's image.
image=localhost/rollstamp-$target:$(cat "$checkout"/dist/*.cjs "$checkout/Dockerfile" | sha256sum | cut -c1-16)

build() {
  local base tools=
  base=$("$here/node-image.sh") || return
  [[ $target != argocd-cmp ]] || tools=$("$here/tools-image.sh") || return
  "$bin/podman" build --quiet --network none --build-arg "BASE=$base" ${tools:+--build-arg "TOOLS=$tools"} \
    --target "$target" --tag "$image" "$checkout" >/dev/null
}

if ! build; then
  # A machine that stopped while podman wrote can leave a store with unreadable layers. It belongs to the user and is not
  # changed: use a separate store. The first of two parallel builds decides where.
  echo "trying it once more in a store of its own" >&2
  # podman accepts at most 50 characters for this path.
  (set -o noclobber && mktemp -d /tmp/rollstamp-XXXXXX >"$bin/own-store") 2>/dev/null || true
  build
fi
echo "$image"

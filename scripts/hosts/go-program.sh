# Sourced by the installers of hosts that are Go programs.
#
#   go_program NAME VERSION PACKAGE [--where]
#
# builds PACKAGE@VERSION once and prints where the program is. With --where it builds nothing, and
# fails where the program is not there yet. Programs are kept in ROLLSTAMP_CACHE (by default .cache
# in the checkout) under their version, so that another version is another file.
set -euo pipefail

go_program() {
  local name=$1 version=$2 package=$3 mode=${4:-}
  local cache=${ROLLSTAMP_CACHE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.cache}
  local program=$cache/$name-$version/$name

  if [[ ! -x $program ]]; then
    if [[ $mode == --where ]]; then
      echo "$name $version is not installed: run scripts/hosts/${0##*/}" >&2
      return 1
    fi
    # Built beside its place and renamed, so that a stopped build leaves nothing that looks finished
    # and two builds at once do no harm.
    mkdir -p "${program%/*}"
    local work
    work=$(mktemp -d "${program%/*}/.building-XXXXXX")
    echo "building $name $version" >&2
    if ! GOBIN=$work GOFLAGS=-modcacherw CGO_ENABLED=0 \
      go install -trimpath -ldflags "-s -w" "$package@$version" >&2; then
      rm -rf "$work"
      return 1
    fi
    mv -f "$work/$name" "$program"
    rm -rf "$work"
  fi
  echo "$program"
}

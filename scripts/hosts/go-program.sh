# Sourced by the installers of hosts that are Go programs.
#
#   go_program NAME VERSION PACKAGE [--where]    builds PACKAGE@VERSION
#   go_module NAME [--where]                     builds the module in scripts/hosts/NAME
#
# Both build once and print where the program is. With --where they build nothing, and fail if the program is missing.
# Programs are kept in ROLLSTAMP_CACHE (default: .cache in the checkout); another version or source is another file.
# Go verifies every module against go.sum or Go's checksum database.
set -euo pipefail

go_hosts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
go_cache=${ROLLSTAMP_CACHE:-$go_hosts/../../.cache}
mkdir -p "$go_cache"
go_cache=$(cd "$go_cache" && pwd)

# go_once PROGRAM --where|"" COMMAND...: runs COMMAND with a folder in which it builds the program.
go_once() {
  local program=$1 mode=$2
  shift 2
  if [[ ! -x $program ]]; then
    if [[ $mode == --where ]]; then
      echo "${program#"$go_cache/"} is not installed: run scripts/hosts/${0##*/}" >&2
      return 1
    fi
    echo "building ${program#"$go_cache/"}" >&2
    # Built beside its place and renamed: a stopped build leaves nothing that looks finished, and two builds at once do
    # no harm.
    mkdir -p "${program%/*}"
    local work
    work=$(mktemp -d "${program%/*}/.building-XXXXXX")
    if ! "$@" "$work" >&2; then
      rm -rf "$work"
      return 1
    fi
    mv -f "$work/${program##*/}" "$program"
    rm -rf "$work"
  fi
  echo "$program"
}

go_install() { GOBIN=$2 GOFLAGS=-modcacherw CGO_ENABLED=0 nice go install -trimpath -ldflags "-s -w" "$1"; }

go_build_module() {
  cd "$1" &&
    CGO_ENABLED=0 GOFLAGS=-modcacherw nice go build -mod=readonly -trimpath -ldflags "-s -w" -o "$2/" .
}

go_program() {
  local name=$1 version=$2 package=$3 mode=${4:-}
  go_once "$go_cache/$name-$version/$name" "$mode" go_install "$package@$version"
}

go_module() {
  local name=$1 mode=${2:-} source
  source=$(cat "$go_hosts/$name"/*.go "$go_hosts/$name"/go.{mod,sum} | sha256sum | cut -c1-8)
  go_once "$go_cache/$name-$source/$name" "$mode" go_build_module "$go_hosts/$name"
}

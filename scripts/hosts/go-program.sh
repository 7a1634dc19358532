# Sourced by the installers of hosts that are Go programs.
#
#   go_program NAME VERSION PACKAGE [--where]    builds PACKAGE@VERSION
#   go_module NAME [--where]                     builds the module in scripts/hosts/NAME
#   go_controller NAME PACKAGE CRDS [--where]    builds PACKAGE of the module that scripts/hosts/NAME requires, with the files
#                                                CRDS of that module; prints the folder of the program and of crds/
#
# They build once and print where the program is. With --where they build nothing, and fail if the program is missing.
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

go_build_controller() {
  local here=$1 package=$2 crds=$3 work=$4 module folder
  cd "$here" || return
  module=$(awk '$1 == "require" && $2 != "(" { print $2; exit }' go.mod)
  CGO_ENABLED=0 GOFLAGS=-modcacherw nice go build -mod=readonly -trimpath -ldflags "-s -w" -o "$work/" "$package" || return
  folder=$(go list -mod=readonly -m -f '{{.Dir}}' "$module") || return
  mkdir "$work/crds" || return
  # shellcheck disable=SC2086 # CRDS is a pattern.
  install -m 0644 "$folder"/$crds "$work/crds" || return
  # Before the program, whose presence says that all is there. Another build may have been first: its files are the same.
  mv -T "$work/crds" "$work/../crds" || [[ -d $work/../crds ]]
}

go_controller() {
  local name=$1 package=$2 crds=$3 mode=${4:-} version program
  version=$(awk '$1 == "require" && $2 != "(" { print $3; exit }' "$go_hosts/$name/go.mod")
  program=$(go_once "$go_cache/$name-$version/${package##*/}" "$mode" \
    go_build_controller "$go_hosts/$name" "$package" "$crds") || return
  echo "${program%/*}"
}

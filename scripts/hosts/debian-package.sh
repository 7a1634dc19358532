# Sourced by the installers of hosts that are Debian packages.
#
#   debian_package PROGRAM "PACKAGE..." [--where]    installs the packages unless the program is there; prints where it is
set -euo pipefail

debian_package() {
  local program=$1 packages=$2 mode=${3:-}
  type -P "$program" && return
  if [[ $mode == --where ]]; then
    echo "$program is not installed: run scripts/hosts/${0##*/}" >&2
    return 1
  fi
  echo "installing $packages" >&2
  apt-get update -qq >&2
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2
  type -P "$program"
}

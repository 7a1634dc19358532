#!/usr/bin/env bash
# A container engine: Debian's podman with runc. Prints a folder for PATH with `podman` and `docker`, which kustomize calls.
#
# The configuration of the system is not changed. Ours lets podman run inside containers and virtual machines that cannot raise
# limits, and that have no systemd cgroups and no journal. crun, Debian's default, fails there.
set -euo pipefail

cache=${ROLLSTAMP_CACHE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.cache}
mkdir -p "$cache"
bin=$(cd "$cache" && pwd)/podman
PATH=$PATH:/usr/sbin

missing=()
for program in podman runc; do
  type -P "$program" >/dev/null || missing+=("$program")
done
if ((${#missing[@]})); then
  if [[ ${1:-} == --where ]]; then
    echo "${missing[*]} not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "installing ${missing[*]}" >&2
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
fi

mkdir -p "$bin"
# Written beside its place and renamed, because parallel tests can be using it.
put() {
  local new
  new=$(mktemp "$bin/.new-XXXXXX")
  cat >"$new"
  chmod "$2" "$new"
  mv -f "$new" "$bin/$1"
}
put containers.conf 644 <<'CONF'
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
# If `own-store` names a folder, images are there, not in the store of the system (images.sh).
for name in podman docker; do
  put "$name" 755 <<SCRIPT
#!/bin/sh
if [ -s '$bin/own-store' ]; then
  store=\$(cat '$bin/own-store')
  set -- --root "\$store/root" --runroot "\$store/run" "\$@"
fi
CONTAINERS_CONF='$bin/containers.conf' exec '$(PATH=${PATH//"$bin:"/} type -P podman)' --runtime '$(type -P runc)' "\$@"
SCRIPT
done
echo "$bin"

#!/usr/bin/env bash
# A container engine where no Docker engine is: Debian's podman with runc. Prints a folder to put on
# PATH: it holds `podman`, and `docker`, which is what kustomize calls.
#
# The system's own configuration is left alone. Ours lets podman run inside containers and virtual
# machines that may not raise limits and whose cgroups systemd does not manage; there is no journal.
# crun, Debian's default, fails there.
set -euo pipefail

cache=${ROLLSTAMP_CACHE:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/.cache}
bin=$cache/podman

if [[ ! -x /usr/bin/podman || ! -x /usr/sbin/runc ]]; then
  if [[ ${1:-} == --where ]]; then
    echo "podman and runc are not installed: run scripts/hosts/${0##*/}" >&2
    exit 1
  fi
  echo "installing podman and runc" >&2
  apt-get update -qq >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends podman runc >&2
fi

mkdir -p "$bin"
cat >"$bin/containers.conf" <<'CONF'
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
CONF
for name in podman docker; do
  cat >"$bin/$name" <<SCRIPT
#!/bin/sh
CONTAINERS_CONF='$bin/containers.conf' exec /usr/bin/podman --runtime /usr/sbin/runc "\$@"
SCRIPT
  chmod +x "$bin/$name"
done
echo "$bin"

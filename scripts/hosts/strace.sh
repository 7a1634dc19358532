#!/usr/bin/env bash
# Debian's strace, which records what the attacked programs open. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/debian-package.sh"
debian_package strace "strace" "$@"

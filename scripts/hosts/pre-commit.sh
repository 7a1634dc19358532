#!/usr/bin/env bash
# Debian's pre-commit. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/debian-package.sh"
debian_package pre-commit "pre-commit" "$@"

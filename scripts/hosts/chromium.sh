#!/usr/bin/env bash
# Debian's Chromium, for the tests of the HTML reports. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/debian-package.sh"
debian_package chromium "chromium fonts-dejavu-core" "$@"

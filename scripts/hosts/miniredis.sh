#!/usr/bin/env bash
# A Redis in memory as one program, for Argo CD. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_module miniredis "$@"

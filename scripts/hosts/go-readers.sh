#!/usr/bin/env bash
# Go's YAML readers as one program. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_module go-readers "$@"

#!/usr/bin/env bash
# kpt's fn commands. Prints where the program is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_module kpt "$@"

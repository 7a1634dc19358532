#!/usr/bin/env bash
# Flux's build of Kustomizations as one program. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_module flux-builds "$@"

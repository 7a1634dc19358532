#!/usr/bin/env bash
# Flux's merge of the values of a HelmRelease as one program. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_module flux-values "$@"

#!/usr/bin/env bash
# Helm 3, whose post-renderer is any executable. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_program helm v3.22.0 helm.sh/helm/v3/cmd/helm "$@"

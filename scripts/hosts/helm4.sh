#!/usr/bin/env bash
# Helm 4, whose post-renderer is an installed plugin. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_program helm v4.3.1 helm.sh/helm/v4/cmd/helm "$@"

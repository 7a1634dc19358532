#!/usr/bin/env bash
# Standalone kustomize, which unlike kubectl's runs exec functions. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_program kustomize v5.8.1 sigs.k8s.io/kustomize/kustomize/v5 "$@"

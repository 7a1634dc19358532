#!/usr/bin/env bash
# Flux's kustomize-controller and its CRD. Prints the folder with `kustomize-controller` and crds/*.yaml.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_controller kustomize-controller github.com/fluxcd/kustomize-controller "config/crd/bases/*.yaml" "$@"

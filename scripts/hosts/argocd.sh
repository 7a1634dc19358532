#!/usr/bin/env bash
# Argo CD, all parts in one program, and its CRDs. Prints the folder with `cmd` and crds/*.yaml.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_controller argocd github.com/argoproj/argo-cd/v3/cmd "manifests/crds/*-crd.yaml" "$@"

#!/usr/bin/env bash
# The controller of Argo Rollouts and its CRDs. Prints the folder with `rollouts-controller` and crds/*.yaml.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_controller argo-rollouts github.com/argoproj/argo-rollouts/cmd/rollouts-controller "manifests/crds/*-crd.yaml" "$@"

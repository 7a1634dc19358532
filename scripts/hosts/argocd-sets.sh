#!/usr/bin/env bash
# Argo CD's generator of Applications and its edits of kustomizations as one program. Prints where it is.
source "$(dirname "${BASH_SOURCE[0]}")/go-program.sh"
go_module argocd-sets "$@"

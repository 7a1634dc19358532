#!/bin/sh
# kustomize passes the configuration as a file and the manifests on standard input.
exec rollstamp "$@"

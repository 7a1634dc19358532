//go:build tools

// Package tools names the controller, so that go.mod and go.sum pin it.
package tools

import _ "github.com/fluxcd/kustomize-controller"

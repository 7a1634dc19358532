//go:build tools

// Package tools names the program, so that go.mod and go.sum pin it.
package tools

import _ "github.com/argoproj/argo-cd/v3/cmd"

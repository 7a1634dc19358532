// The server that Argo CD runs beside each config-management plugin, as it is released: its command
// is a library of the module, its main is not.
package main

import (
	"os"

	"github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
)

func main() {
	if err := commands.NewCommand().Execute(); err != nil {
		os.Exit(1)
	}
}

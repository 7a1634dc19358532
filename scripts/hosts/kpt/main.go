// kpt's commands `fn` from kpt's own module, with the error handling of kpt's own main package.
//
// The whole program cannot be built from Go's module proxy: its `alpha rollouts` commands are a module of their own.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/kptdev/kpt/commands/fn"
	"github.com/kptdev/kpt/pkg/lib/errors"
	"github.com/kptdev/kpt/pkg/lib/errors/resolver"
	"github.com/kptdev/kpt/pkg/lib/util/cmdutil"
	"github.com/kptdev/kpt/pkg/printer"
	"github.com/spf13/cobra"
)

func main() {
	root := &cobra.Command{Use: "kpt", SilenceUsage: true, SilenceErrors: true}
	root.PersistentFlags().AddGoFlagSet(flag.CommandLine)
	root.PersistentFlags().BoolVar(&printer.TruncateOutput, "truncate-output", true, "Enable the truncation for output")
	root.PersistentFlags().BoolVar(&cmdutil.StackOnError, "stack-trace", false, "Print a stack-trace on failure")
	ctx := printer.WithContext(context.Background(), printer.New(root.OutOrStdout(), root.ErrOrStderr()))
	root.AddCommand(fn.GetCommand(ctx, "kpt"))
	if err := root.Execute(); err != nil {
		os.Exit(report(err))
	}
}

func report(err error) int {
	if resolved, ok := resolver.ResolveError(err); ok {
		if resolved.Message != "" {
			fmt.Fprintf(os.Stderr, "%s \n", resolved.Message)
		}
		return resolved.ExitCode
	}
	var kptError *errors.Error
	if errors.As(err, &kptError) {
		if unwrapped, ok := errors.UnwrapErrors(kptError); ok {
			err = unwrapped
		}
	}
	fmt.Fprintf(os.Stderr, "Error: %s \n", err)
	return 1
}

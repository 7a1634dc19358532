// Asks a running argocd-cmp-server as Argo CD's repo-server does (util/app/discovery and
// reposerver/repository of the same module), and prints its answer as JSON:
//
//	client SOCKET match|generate|parameters APPLICATION-FOLDER REPOSITORY-FOLDER TIMEOUT [NAME=VALUE…]
//
// An error of the server is printed on standard error, with exit status 1.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/argoproj/argo-cd/v3/cmpserver/apiclient"
	"github.com/argoproj/argo-cd/v3/util/cmp"
)

func main() {
	if len(os.Args) < 6 {
		fail(fmt.Errorf("usage: client SOCKET match|generate|parameters APPLICATION-FOLDER REPOSITORY-FOLDER TIMEOUT [NAME=VALUE…]"))
	}
	answer, err := ask(os.Args[1], os.Args[2], os.Args[3], os.Args[4], os.Args[5], os.Args[6:])
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answer); err != nil {
		fail(err)
	}
}

func ask(socket, what, application, repository, timeout string, env []string) (any, error) {
	limit, err := time.ParseDuration(timeout)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	connection, client, err := apiclient.NewConfigManagementPluginClientSet(socket).NewConfigManagementPluginClient()
	if err != nil {
		return nil, err
	}
	defer connection.Close()

	switch what {
	case "match":
		stream, err := client.MatchRepository(ctx)
		if err != nil {
			return nil, err
		}
		if err := cmp.SendRepoStream(ctx, application, repository, stream, env, nil); err != nil {
			return nil, err
		}
		return stream.CloseAndRecv()
	case "generate":
		stream, err := client.GenerateManifest(ctx)
		if err != nil {
			return nil, err
		}
		if err := cmp.SendRepoStream(ctx, application, repository, stream, env, nil); err != nil {
			return nil, err
		}
		return stream.CloseAndRecv()
	case "parameters":
		stream, err := client.GetParametersAnnouncement(ctx)
		if err != nil {
			return nil, err
		}
		if err := cmp.SendRepoStream(ctx, application, repository, stream, env, nil); err != nil {
			return nil, err
		}
		return stream.CloseAndRecv()
	}
	return nil, fmt.Errorf("no such request: %s", what)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

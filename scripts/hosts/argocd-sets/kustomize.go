package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
	"github.com/argoproj/argo-cd/v3/util/git"
	"github.com/argoproj/argo-cd/v3/util/kustomize"
)

type kustomizeCase struct {
	Root      string                               `json:"root"`
	Path      string                               `json:"path"`
	Kustomize *v1alpha1.ApplicationSourceKustomize `json:"kustomize"`
	Variables map[string]string                    `json:"variables"`
}

type kustomizeAnswer struct {
	Objects []*unstructured.Unstructured `json:"objects"`
	Error   string                       `json:"error,omitempty"`
}

// Builds kustomizations as repo-server does (util/kustomize), with what Applications edit into them:
//
//	argocd-sets kustomize KUSTOMIZE < one case as JSON a line
//
// prints a line of JSON for each. The folders are changed by it, as repo-server changes its checkout.
func kustomizations(program string) {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var one kustomizeCase
		var said kustomizeAnswer
		if err := json.Unmarshal(input.Bytes(), &one); err != nil {
			said.Error = err.Error()
		} else {
			env := v1alpha1.Env{}
			for name, value := range one.Variables {
				env = append(env, &v1alpha1.EnvEntry{Name: name, Value: value})
			}
			sort.Slice(env, func(i, j int) bool { return env[i].Name < env[j].Name })
			app := kustomize.NewKustomizeApp(one.Root, one.Path, git.NopCreds{}, "", program, "", "")
			objects, _, _, err := app.Build(one.Kustomize, nil, &env, nil)
			said.Objects = objects
			if err != nil {
				said.Error = err.Error()
			}
		}
		if err := output.Encode(said); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

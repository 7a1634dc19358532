// Expands ApplicationSets as Argo CD's controller does (applicationset/controllers/template and generators of the
// same module), over a folder in the place of every Git repository:
//
//	sets FOLDER < one ApplicationSet as JSON a line
//
// prints a line of JSON for each: the Applications, and the error where there is one. `sets kustomize` is in kustomize.go.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	log "github.com/sirupsen/logrus"

	"github.com/argoproj/argo-cd/v3/applicationset/controllers/template"
	"github.com/argoproj/argo-cd/v3/applicationset/generators"
	"github.com/argoproj/argo-cd/v3/applicationset/utils"
	"github.com/argoproj/argo-cd/v3/pkg/apis/application/v1alpha1"
)

type answer struct {
	Applications []v1alpha1.Application `json:"applications"`
	Error        string                 `json:"error,omitempty"`
}

func main() {
	log.SetLevel(log.PanicLevel)
	log.SetOutput(os.Stderr)
	if os.Args[1] == "kustomize" {
		kustomizations(os.Args[2])
		return
	}
	repos := folder(os.Args[1])
	list, git := generators.NewListGenerator(), generators.NewGitGenerator(repos, "argocd")
	level := map[string]generators.Generator{"List": list, "Git": git}
	for range 2 {
		level = map[string]generators.Generator{
			"List": list, "Git": git,
			"Matrix": generators.NewMatrixGenerator(level), "Merge": generators.NewMergeGenerator(level),
		}
	}
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		var set v1alpha1.ApplicationSet
		var said answer
		if err := json.Unmarshal(input.Bytes(), &set); err != nil {
			said.Error = err.Error()
		} else {
			all, _, err := template.GenerateApplications(log.NewEntry(log.StandardLogger()), set, level, &utils.Render{}, nil)
			said.Applications = all
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

// A folder that git knows, in the place of repo-server.
type folder string

func (root folder) GetFiles(_ context.Context, _, _, _, pattern string, _, _ bool) (map[string][]byte, error) {
	listed, err := exec.Command("git", "-C", string(root), "ls-files", "--full-name", "-z", "--", pattern).Output()
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for _, path := range strings.Split(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
		if path == "" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(string(root), path))
		if err != nil {
			return nil, err
		}
		found[path] = content
	}
	return found, nil
}

// As reposerver/repository, GetGitDirectories, without hidden ones.
func (root folder) GetDirectories(_ context.Context, _, _, _ string, _, _ bool) ([]string, error) {
	var found []string
	err := filepath.WalkDir(string(root), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if path != string(root) && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if relative, _ := filepath.Rel(string(root), path); relative != "." {
			found = append(found, relative)
		}
		return nil
	})
	return found, err
}

// Builds Flux Kustomizations as kustomize-controller does (fluxcd/pkg/kustomize and envsubst, in the versions of the
// flux program), without a cluster:
//
//	flux-builds < one request as JSON a line
//
// A request has a `template` and `variables`, which are put into it, or a `root` with the files of a repository, the
// `folder` in it, a `kustomization` and the `objects` of the cluster; or a `root` and what is to be `ignored` of it. A line
// of JSON is printed for each: the `text`, the `objects` or the `files` that come of it, or the `error`. The files may be
// changed.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fluxcd/pkg/envsubst"
	"github.com/fluxcd/pkg/kustomize"
	"github.com/fluxcd/pkg/sourceignore"
	"github.com/fluxcd/pkg/sourceignore/gitignore"
	"github.com/fluxcd/pkg/ssa/utils"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type request struct {
	Template  *string           `json:"template"`
	Variables map[string]string `json:"variables"`

	Root          string                      `json:"root"`
	Folder        string                      `json:"folder"`
	Kustomization map[string]any              `json:"kustomization"`
	Objects       []unstructured.Unstructured `json:"objects"`

	Ignored *string `json:"ignored"`
}

type answer struct {
	Text    *string          `json:"text,omitempty"`
	Objects []map[string]any `json:"objects,omitempty"`
	Files   []string         `json:"files,omitempty"`
	Error   string           `json:"error,omitempty"`
}

func main() {
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 1<<24)
	output := json.NewEncoder(os.Stdout)
	for input.Scan() {
		said, err := answerTo(input.Bytes())
		if err != nil {
			said = answer{Error: err.Error()}
		}
		if err := output.Encode(said); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func answerTo(line []byte) (said answer, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return said, err
	}
	if asked.Template != nil {
		text, err := envsubst.Eval(*asked.Template, func(name string) (string, bool) { return asked.Variables[name], true })
		return answer{Text: &text}, err
	}
	if asked.Ignored != nil {
		said.Files, err = archived(asked.Root, *asked.Ignored)
		return said, err
	}
	said.Objects, err = built(asked)
	return said, err
}

// The files of an artifact, as source-controller takes them (gitrepository_controller.go, reconcileArtifact; artifact/storage,
// Archive and SourceIgnoreFilter, which is not served as a module).
func archived(root, ignore string) ([]string, error) {
	domain := strings.Split(root, string(filepath.Separator))
	patterns, err := sourceignore.LoadIgnorePatterns(root, domain)
	if err != nil {
		return nil, err
	}
	if ignore != "" {
		patterns = append(patterns, sourceignore.ReadPatterns(strings.NewReader(ignore), domain)...)
	}
	var matcher gitignore.Matcher
	if len(patterns) > 0 {
		matcher = sourceignore.NewMatcher(append(sourceignore.VCSPatterns(domain), patterns...))
	} else {
		matcher = sourceignore.NewDefaultMatcher(patterns, domain)
	}
	var files []string
	err = filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || !(info.Mode().IsRegular() || info.IsDir()) {
			return err
		}
		if matcher.Match(strings.Split(path, string(filepath.Separator)), info.IsDir()) {
			return nil
		}
		way, err := filepath.Rel(root, path)
		if info.IsDir() {
			way += "/"
		}
		files = append(files, way)
		return err
	})
	return files, err
}

// As the reconciler's generate, build and apply have it (kustomize-controller, kustomization_controller.go).
func built(asked request) ([]map[string]any, error) {
	owner := unstructured.Unstructured{Object: asked.Kustomization}
	folder := filepath.Join(asked.Root, asked.Folder)
	if _, err := kustomize.NewGenerator(asked.Root, owner).WriteFile(folder); err != nil {
		return nil, err
	}
	made, err := kustomize.SecureBuild(asked.Root, folder, false)
	if err != nil {
		return nil, err
	}
	_, substitutes, _ := unstructured.NestedMap(asked.Kustomization, "spec", "postBuild")
	strategy, _, _ := unstructured.NestedString(asked.Kustomization, "spec", "postBuild", "substituteStrategy")
	for _, one := range made.Resources() {
		if one.GetName() == "" || one.GetKind() == "" || one.GetApiVersion() == "" {
			return nil, fmt.Errorf("failed to decode Kubernetes apiVersion, kind and name")
		}
		if !substitutes {
			continue
		}
		changed, err := kustomize.SubstituteVariables(context.Background(), cluster{objects: asked.Objects}, owner, one,
			kustomize.SubstituteWithAlways(strategy == "Always"))
		if err != nil {
			return nil, err
		}
		if changed != nil {
			if _, err := made.Replace(changed); err != nil {
				return nil, err
			}
		}
	}
	text, err := made.AsYaml()
	if err != nil {
		return nil, err
	}
	objects, err := utils.ReadObjects(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if _, is, _ := unstructured.NestedMap(asked.Kustomization, "spec", "commonMetadata"); is {
		labels, _, _ := unstructured.NestedStringMap(asked.Kustomization, "spec", "commonMetadata", "labels")
		annotations, _, _ := unstructured.NestedStringMap(asked.Kustomization, "spec", "commonMetadata", "annotations")
		utils.SetCommonMetadata(objects, labels, annotations)
	}
	found := []map[string]any{}
	for _, object := range objects {
		found = append(found, object.Object)
	}
	return found, nil
}

// The objects of a cluster, to be got by their names. Nothing else of a client is asked for.
type cluster struct {
	client.Client
	objects []unstructured.Unstructured
}

func (c cluster) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	kind := "ConfigMap"
	if _, is := into.(*corev1.Secret); is {
		kind = "Secret"
	}
	for _, one := range c.objects {
		if one.GetKind() == kind && one.GetName() == key.Name && one.GetNamespace() == key.Namespace {
			return runtime.DefaultUnstructuredConverter.FromUnstructured(one.Object, into)
		}
	}
	return errors.NewNotFound(schema.GroupResource{Resource: kind}, key.Name)
}

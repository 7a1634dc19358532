// What Flux's controller for HelmReleases makes of `valuesFrom` and `values`, by its own library. Reads cases as JSON, one a
// line, and prints a line for each: the values, in which a whole number that `targetPath` gave is told from others, or that
// they can't be had.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/fluxcd/pkg/apis/meta"
	"github.com/fluxcd/pkg/chartutil"
	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

type given struct {
	Values  json.RawMessage        `json:"values"`
	Refs    []meta.ValuesReference `json:"refs"`
	Objects []object               `json:"objects"`
}

type object struct {
	Kind string            `json:"kind"`
	Name string            `json:"name"`
	Data map[string]string `json:"data"`
}

// What a cluster has.
type cluster struct {
	client.Client
	objects []object
}

func (c cluster) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	for _, one := range c.objects {
		if one.Name != key.Name {
			continue
		}
		switch typed := into.(type) {
		case *corev1.ConfigMap:
			if one.Kind == "ConfigMap" {
				typed.Data = one.Data
				return nil
			}
		case *corev1.Secret:
			if one.Kind == "Secret" {
				typed.Data = map[string][]byte{}
				for key, value := range one.Data {
					typed.Data[key] = []byte(value)
				}
				return nil
			}
		}
	}
	return apierrors.NewNotFound(schema.GroupResource{}, key.Name)
}

// told is a value in which int64, which templates print otherwise than other numbers, is seen.
func told(value any) any {
	switch typed := value.(type) {
	case map[string]any:
		all := make(map[string]any, len(typed))
		for key, one := range typed {
			all[key] = told(one)
		}
		return all
	case []any:
		all := make([]any, len(typed))
		for at, one := range typed {
			all[at] = told(one)
		}
		return all
	case int64:
		return map[string]any{"int64": fmt.Sprint(typed)}
	default:
		return value
	}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var one given
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			panic(err)
		}
		var values map[string]any
		if len(one.Values) > 0 {
			// As HelmRelease.GetValues has it.
			_ = yaml.Unmarshal(one.Values, &values)
		}
		made, err := chartutil.ChartValuesFromReferences(context.Background(), logr.Discard(), cluster{objects: one.Objects},
			"apps", values, one.Refs...)
		answer := map[string]any{}
		if err != nil {
			answer["error"] = err.Error()
		} else {
			answer["values"] = told(map[string]any(made))
		}
		if err := out.Encode(answer); err != nil {
			panic(err)
		}
	}
}

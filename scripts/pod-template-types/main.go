// Writes src/rollout/pod-template-types.json: the fields of a pod template as Kubernetes' Go types
// declare them. The plan compares templates as the API server does, and whether `false` equals an
// absent field is a matter of these types (a pointer or a value).
//
//	cd scripts/pod-template-types && go run . > ../../src/rollout/pod-template-types.json
//
// A field's type is one of: string, int, bool, number, time, quantity, intOrString, any, or the name of
// another type; after "*" an absent field differs from a zero one; "[]" is a list, "[key]" a list
// whose elements are told apart by that key (the type's patchMergeKey), "{}" a map.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var known = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():  "quantity",
	reflect.TypeFor[intstr.IntOrString](): "intOrString",
	reflect.TypeFor[metav1.Time]():        "time",
	reflect.TypeFor[metav1.MicroTime]():   "time",
	reflect.TypeFor[metav1.FieldsV1]():    "any",
}

type fields map[string]string

var types = map[string]fields{}

func main() {
	describe(reflect.TypeFor[corev1.PodTemplateSpec](), "")
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(types); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func describe(t reflect.Type, mergeKey string) string {
	if name, ok := known[t]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.Pointer:
		return "*" + describe(t.Elem(), "")
	case reflect.Slice:
		return "[" + mergeKey + "]" + describe(t.Elem(), "")
	case reflect.Map:
		return "{}" + describe(t.Elem(), "")
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "int"
	case reflect.Struct:
		name := t.Name()
		if _, ok := types[name]; !ok {
			types[name] = fields{}
			addFields(t, types[name])
		}
		return name
	default:
		panic("no name for " + t.String())
	}
}

func addFields(t reflect.Type, into fields) {
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" && (field.Anonymous || strings.Contains(options, "inline")) {
			addFields(field.Type, into)
			continue
		}
		into[name] = describe(field.Type, field.Tag.Get("patchMergeKey"))
	}
}

// Writes src/kubernetes/rollout/pod-template-types.json: the fields of pod templates, and of objects around them, as Kubernetes' Go types
// declare them. A plan compares templates as the API server does: whether `false` equals an absent field depends on the
// type (a pointer or a value).
//
//	cd scripts/pod-template-types && go run . > ../../src/kubernetes/rollout/pod-template-types.json
//
// A field's type is one of: string, int, bool, number, time, quantity, intOrString, any, or the name of
// another type; after "*" an absent field differs from a zero one; "{}" is a map, "[]" a list. How an apply
// merges a field is part of these types too:
//
//	[patch|apply]  of a list: the key by which kubectl's patch merges it (patchStrategy, patchMergeKey), and the
//	               keys by which the server does (+listType, +listMapKey), by commas; one for both without "|";
//	               nothing: it is replaced as a whole; "=": a set; a key and "+": patchStrategy retainKeys
//	!              of a struct or a map: a server-side apply takes it as one value (+structType, +mapType atomic)
//	+              of a struct: patchStrategy retainKeys
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
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
	reflect.TypeFor[[]byte]():             "any",
}

type fields map[string]string

var types = map[string]fields{}

func main() {
	for _, root := range []reflect.Type{
		reflect.TypeFor[corev1.PodTemplateSpec](),
		reflect.TypeFor[appsv1.Deployment](),
		reflect.TypeFor[appsv1.StatefulSet](),
		reflect.TypeFor[appsv1.DaemonSet](),
		reflect.TypeFor[appsv1.ReplicaSet](),
		reflect.TypeFor[batchv1.CronJob](),
		reflect.TypeFor[batchv1.Job](),
		reflect.TypeFor[corev1.Pod](),
		reflect.TypeFor[corev1.ReplicationController](),
		reflect.TypeFor[corev1.ConfigMap](),
		reflect.TypeFor[corev1.Secret](),
		reflect.TypeFor[corev1.Service](),
		reflect.TypeFor[corev1.ServiceAccount](),
		reflect.TypeFor[autoscalingv2.HorizontalPodAutoscaler](),
		reflect.TypeFor[networkingv1.Ingress](),
		reflect.TypeFor[networkingv1.NetworkPolicy](),
		reflect.TypeFor[policyv1.PodDisruptionBudget](),
		reflect.TypeFor[rbacv1.ClusterRole](),
		reflect.TypeFor[rbacv1.ClusterRoleBinding](),
		reflect.TypeFor[rbacv1.Role](),
		reflect.TypeFor[rbacv1.RoleBinding](),
	} {
		describe(root, "", nil)
	}
	// A type a line: a new version of Kubernetes is reviewed as a diff of the types that it changes.
	names := slices.Sorted(maps.Keys(types))
	fmt.Print("{")
	for i, name := range names {
		if i > 0 {
			fmt.Print(",")
		}
		fmt.Printf("\n  %s: %s", encoded(name), encoded(types[name]))
	}
	fmt.Print("\n}\n")
}

func encoded(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func describe(t reflect.Type, tag reflect.StructTag, marks marks) string {
	if name, ok := known[t]; ok {
		return name
	}
	switch t.Kind() {
	case reflect.Pointer:
		text := describe(t.Elem(), tag, marks)
		prefix := text[:len(text)-len(strings.TrimLeft(text, "!+"))]
		return prefix + "*" + text[len(prefix):]
	case reflect.Slice:
		return "[" + merging(tag, marks) + "]" + describe(t.Elem(), "", nil)
	case reflect.Map:
		return atomic(marks["mapType"]) + "{}" + describe(t.Elem(), "", nil)
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
		prefix := ""
		if strings.Contains(tag.Get("patchStrategy"), "retainKeys") {
			prefix = "+"
		}
		return prefix + atomic(append(marks["structType"], marksOf(t)[""]["structType"]...)) + name
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
		into[name] = describe(field.Type, field.Tag, marksOf(t)[field.Name])
	}
}

func atomic(values []string) string {
	if len(values) > 0 && values[0] == "atomic" {
		return "!"
	}
	return ""
}

func merging(tag reflect.StructTag, marks marks) string {
	patch, apply := "", ""
	if strategy := tag.Get("patchStrategy"); strings.Contains(strategy, "merge") {
		patch = tag.Get("patchMergeKey")
		if patch == "" {
			patch = "="
		}
		if strings.Contains(strategy, "retainKeys") {
			patch += "+"
		}
	}
	switch strings.Join(marks["listType"], "") {
	case "map":
		apply = strings.Join(marks["listMapKey"], ",")
	case "set":
		apply = "="
	}
	if apply == patch {
		return patch
	}
	return patch + "|" + apply
}

// The markers of a comment: +listMapKey=name and its like.
type marks map[string][]string

// By package: the markers of each type, by the name of its field; "" for the type itself.
var parsed = map[string]map[string]map[string]marks{}

func marksOf(t reflect.Type) map[string]marks {
	path := t.PkgPath()
	if _, ok := parsed[path]; !ok {
		parsed[path] = parse(path)
	}
	return parsed[path][t.Name()]
}

func parse(path string) map[string]map[string]marks {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		panic(err)
	}
	set := token.NewFileSet()
	packages, err := parser.ParseDir(set, strings.TrimSpace(string(dir)), nil, parser.ParseComments)
	if err != nil {
		panic(err)
	}
	found := map[string]map[string]marks{}
	for _, one := range packages {
		for _, file := range one.Files {
			last := file.Name.End()
			for _, declaration := range file.Decls {
				after := last
				last = declaration.End()
				general, ok := declaration.(*ast.GenDecl)
				if !ok {
					continue
				}
				for _, spec := range general.Specs {
					typeSpec, ok := spec.(*ast.TypeSpec)
					if !ok {
						continue
					}
					structType, ok := typeSpec.Type.(*ast.StructType)
					if !ok {
						continue
					}
					of := map[string]marks{"": read(between(file, after, general.Pos()))}
					after := structType.Fields.Opening
					for _, field := range structType.Fields.List {
						for _, name := range field.Names {
							of[name.Name] = read(between(file, after, field.Pos()))
						}
						after = field.End()
					}
					found[typeSpec.Name.Name] = of
				}
			}
		}
	}
	return found
}

// The comments between two places: a blank line may part the markers from what they are about.
func between(file *ast.File, after, before token.Pos) string {
	text := ""
	for _, group := range file.Comments {
		if group.Pos() < after || group.End() > before {
			continue
		}
		for _, comment := range group.List {
			text += comment.Text + "\n"
		}
	}
	return text
}

func read(text string) marks {
	found := marks{}
	for _, line := range strings.Split(text, "\n") {
		mark, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "//")), "+")
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(mark, "=")
		found[name] = append(found[name], value)
	}
	return found
}

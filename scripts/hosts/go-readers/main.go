// Reads texts as Kubernetes' tools do, and prints what each reader takes them for.
//
// Standard input: a JSON string a line, each a text. Standard output: a line for each, an object with an
// entry for each reader: what it read, or its error.
//
//	kubectl  k8s.io/apimachinery/pkg/util/yaml, which reads by sigs.k8s.io/yaml: the JSON of each document (Helm, too)
//	goyaml   go.yaml.in/yaml/v3: each document's nodes
//	kyaml    sigs.k8s.io/kustomize/kyaml: each document's nodes, as kustomize and kpt have them
//
// A node is ["m", key, value, …], ["s", element, …] or ["c", tag, text]; aliases are followed.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	goyaml "go.yaml.in/yaml/v3"
	k8syaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/kyaml/kio"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"
)

type reading struct {
	Documents []any  `json:"documents,omitempty"`
	Error     string `json:"error,omitempty"`
}

// Aliases of aliases multiply: what is read has to end.
const maxNodes = 2_000_000

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var text string
			if failure := json.Unmarshal(line, &text); failure != nil {
				fmt.Fprintln(os.Stderr, failure)
				os.Exit(1)
			}
			answer := map[string]reading{"kubectl": read(kubectl, text), "goyaml": read(goYaml, text), "kyaml": read(kYaml, text)}
			if failure := encoder.Encode(answer); failure != nil {
				fmt.Fprintln(os.Stderr, failure)
				os.Exit(1)
			}
		}
		if err != nil {
			return
		}
	}
}

func read(reader func(string) ([]any, error), text string) (result reading) {
	defer func() {
		if cause := recover(); cause != nil {
			result = reading{Error: fmt.Sprint("panic: ", cause)}
		}
	}()
	documents, err := reader(text)
	if err != nil {
		return reading{Error: err.Error()}
	}
	return reading{Documents: documents}
}

// As kubectl's visitor of streams does (k8s.io/cli-runtime, StreamVisitor): JSON values in a row too.
func kubectl(text string) ([]any, error) {
	decoder := k8syaml.NewYAMLOrJSONDecoder(bytes.NewReader([]byte(text)), 4096)
	documents := []any{}
	for {
		var document json.RawMessage
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		document = bytes.TrimSpace(document)
		if len(document) > 0 && string(document) != "null" {
			documents = append(documents, document)
		}
	}
}

func goYaml(text string) ([]any, error) {
	decoder := goyaml.NewDecoder(bytes.NewReader([]byte(text)))
	documents := []any{}
	for {
		var document goyaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		// Decoding into values checks what nodes do not: keys that stand twice, unknown tags.
		var value any
		if err := document.Decode(&value); err != nil {
			return nil, err
		}
		left := maxNodes
		shown, err := nodes(&document, &left)
		if err != nil {
			return nil, err
		}
		documents = append(documents, shown)
	}
}

func kYaml(text string) ([]any, error) {
	found, err := (&kio.ByteReader{Reader: bytes.NewReader([]byte(text)), OmitReaderAnnotations: true}).Read()
	if err != nil {
		return nil, err
	}
	documents := []any{}
	for _, document := range found {
		left := maxNodes
		shown, err := kNodes(document.YNode(), &left)
		if err != nil {
			return nil, err
		}
		documents = append(documents, shown)
	}
	return documents, nil
}

var errTooMany = errors.New("too many nodes")

func nodes(node *goyaml.Node, left *int) (any, error) {
	if *left--; *left < 0 {
		return nil, errTooMany
	}
	switch node.Kind {
	case goyaml.AliasNode:
		return nodes(node.Alias, left)
	case goyaml.ScalarNode:
		return []any{"c", node.ShortTag(), node.Value}, nil
	case goyaml.DocumentNode:
		return nodes(node.Content[0], left)
	case goyaml.MappingNode, goyaml.SequenceNode:
		shown := []any{map[goyaml.Kind]string{goyaml.MappingNode: "m", goyaml.SequenceNode: "s"}[node.Kind]}
		for _, child := range node.Content {
			inner, err := nodes(child, left)
			if err != nil {
				return nil, err
			}
			shown = append(shown, inner)
		}
		return shown, nil
	}
	return nil, fmt.Errorf("a node of kind %d", node.Kind)
}

func kNodes(node *kyaml.Node, left *int) (any, error) {
	if *left--; *left < 0 {
		return nil, errTooMany
	}
	switch node.Kind {
	case kyaml.AliasNode:
		return kNodes(node.Alias, left)
	case kyaml.ScalarNode:
		return []any{"c", node.ShortTag(), node.Value}, nil
	case kyaml.DocumentNode:
		return kNodes(node.Content[0], left)
	case kyaml.MappingNode, kyaml.SequenceNode:
		shown := []any{"s"}
		if node.Kind == kyaml.MappingNode {
			shown = []any{"m"}
		}
		for _, child := range node.Content {
			inner, err := kNodes(child, left)
			if err != nil {
				return nil, err
			}
			shown = append(shown, inner)
		}
		return shown, nil
	}
	return nil, fmt.Errorf("a node of kind %d", node.Kind)
}

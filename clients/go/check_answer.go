package sealpost

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var pathPart = regexp.MustCompile(`\[\]|[\w?]+`)

// describedMembers are by operation those of answerMembers.
var describedMembers = sync.OnceValue(func() map[string][]string {
	described := map[string][]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(answerMembers), "\n") {
		words := strings.Split(line, " ")
		described[words[0]+" "+words[1]] = words[2:]
	}
	return described
})

// findUnexpectedMember is the first member of an answer that is missing or of another kind than the API document says; empty where
// all are as promised. The path of the operation has {} for each id.
func findUnexpectedMember(operation string, text []byte) string {
	members, found := describedMembers()[operation]
	if !found {
		return ""
	}
	var answer any
	if decodeNumbers(text, &answer) != nil || kindOf(answer) != "object" {
		return "an object"
	}
	for _, member := range members {
		path, kinds, _ := strings.Cut(member, "=")
		if !isThere(answer, pathPart.FindAllString(path, -1), strings.Split(kinds, "|")) {
			return member
		}
	}
	return ""
}

func decodeNumbers(text []byte, target any) error {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	return decoder.Decode(target)
}

func isThere(value any, path, kinds []string) bool {
	if len(path) == 0 {
		kind := kindOf(value)
		return slices.Contains(kinds, "any") || slices.Contains(kinds, kind) || (kind == "integer" && slices.Contains(kinds, "number"))
	}
	if path[0] == "[]" {
		items, isList := value.([]any)
		return isList && !slices.ContainsFunc(items, func(item any) bool { return !isThere(item, path[1:], kinds) })
	}
	object, _ := value.(map[string]any)
	name := strings.TrimSuffix(path[0], "?")
	inner, found := object[name]
	if !found {
		return name != path[0]
	}
	return isThere(inner, path[1:], kinds)
}

func kindOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "list"
	case map[string]any:
		return "object"
	case json.Number:
		if strings.ContainsAny(value.String(), ".eE") {
			return "number"
		}
		return "integer"
	}
	return ""
}

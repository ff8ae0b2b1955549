package sealpost

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

// answering gives every request the same body.
type answering struct {
	body  func(operation string) string
	asked int
}

func (answering *answering) RoundTrip(request *http.Request) (*http.Response, error) {
	answering.asked++
	parts := strings.Split(request.URL.Path, "/")
	for index, part := range parts {
		if part == "id_1" || part == "1" {
			parts[index] = "{}"
		}
	}
	body := io.NopCloser(strings.NewReader(answering.body(request.Method + " " + strings.Join(parts, "/"))))
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: body, Request: request}, nil
}

// eachCall calls every method of every part of a client, and consumes what is to be iterated over. It leaves out those that give bytes,
// or lines that it does not look into.
func eachCall(client *Client, see func(name string, err error)) {
	parts := reflect.ValueOf(*client)
	for index := range parts.NumField() {
		part := parts.Field(index)
		for number := range part.NumMethod() {
			method := part.Method(number)
			kind := method.Type()
			name := parts.Type().Field(index).Name + "." + part.Type().Method(number).Name
			if kind.Out(0) == reflect.TypeFor[[]byte]() || name == "AuditLog.Export" {
				continue
			}
			var arguments []reflect.Value
			for place := range kind.NumIn() {
				if !kind.IsVariadic() || place < kind.NumIn()-1 {
					arguments = append(arguments, argumentOf(kind.In(place)))
				}
			}
			results := method.Call(arguments)
			last := results[len(results)-1]
			if last.Kind() == reflect.Func {
				var failure error
				yield := reflect.MakeFunc(last.Type().In(0), func(values []reflect.Value) []reflect.Value {
					failure, _ = values[1].Interface().(error)
					return []reflect.Value{reflect.ValueOf(false)}
				})
				last.Call([]reflect.Value{yield})
				see(name, failure)
				continue
			}
			failure, _ := last.Interface().(error)
			see(name, failure)
		}
	}
}

func clientAnswering(t *testing.T, body func(operation string) string) *Client {
	t.Helper()
	client, err := NewClient("https://forms.example.org", ClientOptions{Transport: &answering{body: body}, RetriesMax: -1})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func isUnexpected(err error) bool {
	var failure *APIError
	return errors.As(err, &failure) && failure.Code == CodeUnexpectedAnswer
}

func TestEveryMethodRefusesJSONOfAnotherKind(t *testing.T) {
	for _, body := range []string{"{}", "null", "[]", `"x"`, "[{}]", "7"} {
		count := 0
		eachCall(clientAnswering(t, func(string) string { return body }), func(name string, err error) {
			count++
			if !isUnexpected(err) {
				t.Errorf("%s with %s: %v", name, body, err)
			}
		})
		if count < 60 {
			t.Error(count, "methods")
		}
	}
}

// wholeAnswer is an answer with all that answerMembers has of it: each value by its path without ?.
func wholeAnswer(members []string) map[string]any {
	values := map[string]func() any{
		"null": func() any { return nil }, "list": func() any { return []any{} }, "object": func() any { return map[string]any{} },
		"string": func() any { return "text" }, "boolean": func() any { return false }, "integer": func() any { return 7 },
		"number": func() any { return 0.5 }, "any": func() any { return "text" },
	}
	answer := map[string]any{}
	for _, member := range members {
		path, kinds, _ := strings.Cut(member, "=")
		kind, _, _ := strings.Cut(kinds, "|")
		if outer, inner, isInner := strings.Cut(path, "."); !strings.Contains(outer, "[]") {
			if !isInner {
				answer[strings.TrimSuffix(outer, "?")] = values[kind]()
			} else if object, isObject := answer[outer].(map[string]any); isObject {
				object[inner] = values[kind]()
			}
		}
	}
	return answer
}

func TestEveryMethodRefusesAnAnswerWhoseMemberIsMissingOrOfAnotherKind(t *testing.T) {
	spoiled := 0
	for place := range 12 {
		for _, isMissing := range []bool{true, false} {
			wrong := ""
			client := clientAnswering(t, func(operation string) string {
				wrong = ""
				members := describedMembers()[operation]
				answer := wholeAnswer(members)
				if place < len(members) && !strings.ContainsAny(members[place], "?.[") {
					name, kinds, _ := strings.Cut(members[place], "=")
					wrong = fmt.Sprintf("%s %s, missing: %v", operation, name, isMissing)
					switch {
					case isMissing:
						delete(answer, name)
					case kinds == "any":
						wrong = ""
					case strings.Contains(kinds, "string"):
						answer[name] = 7
					default:
						answer[name] = "text"
					}
				}
				text, _ := json.Marshal(answer)
				return string(text)
			})
			eachCall(client, func(name string, err error) {
				if wrong != "" && name != "Submissions.Export" {
					spoiled++
					if !isUnexpected(err) {
						t.Errorf("%s: %s: %v", name, wrong, err)
					}
				}
			})
		}
	}
	if spoiled < 150 {
		t.Error(spoiled, "cases")
	}
}

func TestALineOfAnExportIsAnObjectOfAtMost4MiB(t *testing.T) {
	for _, line := range []string{"null", "[]", `"x"`, "{}", `{"id":"` + strings.Repeat("x", lineBytesMax) + `"}`} {
		client := clientAnswering(t, func(string) string { return line + "\n" })
		for _, err := range client.Submissions.Export(t.Context(), testForm, ExportOptions{}) {
			if !isUnexpected(err) {
				t.Errorf("%.20s: %v", line, err)
			}
		}
		for _, err := range client.AuditLog.Export(t.Context(), 0) {
			if line != "{}" && !isUnexpected(err) {
				t.Errorf("%.20s in the audit log: %v", line, err)
			}
		}
	}
}

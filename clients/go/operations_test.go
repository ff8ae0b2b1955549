package sealpost

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// recorder answers every request with a refusal, and keeps what was asked for.
type recorder struct{ asked []string }

func (recorder *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	recorder.asked = append(recorder.asked, request.Method+" "+request.URL.Path)
	body := io.NopCloser(strings.NewReader(`{"error":"not_found","message":"Not here"}`))
	return &http.Response{StatusCode: 404, Header: http.Header{}, Body: body, Request: request}, nil
}

// argumentOf is a value for a parameter: an id where it is a text.
func argumentOf(parameter reflect.Type) reflect.Value {
	switch {
	case parameter == reflect.TypeFor[context.Context]():
		return reflect.ValueOf(context.Background())
	case parameter.Kind() == reflect.String:
		return reflect.ValueOf("id_1").Convert(parameter)
	case parameter == reflect.TypeFor[[]string]():
		return reflect.ValueOf([]string{"id_1"})
	case parameter.Kind() == reflect.Int:
		return reflect.ValueOf(1).Convert(parameter)
	}
	return reflect.Zero(parameter)
}

// callAll calls every method of every part of a client, and begins what is to be iterated over.
func callAll(client *Client) {
	for _, part := range reflect.ValueOf(*client).Fields() {
		for _, method := range part.Methods() {
			var arguments []reflect.Value
			kind := method.Type()
			for index := range kind.NumIn() {
				if !kind.IsVariadic() || index < kind.NumIn()-1 {
					arguments = append(arguments, argumentOf(kind.In(index)))
				}
			}
			for _, result := range method.Call(arguments) {
				if result.Kind() == reflect.Func {
					stop := reflect.MakeFunc(result.Type().In(0), func([]reflect.Value) []reflect.Value {
						return []reflect.Value{reflect.ValueOf(false)}
					})
					result.Call([]reflect.Value{stop})
				}
			}
		}
	}
}

func readOperations(t *testing.T) []string {
	t.Helper()
	answer, err := http.Get(os.Getenv("SEALPOST_URL") + "/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var document struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.NewDecoder(answer.Body).Decode(&document); err != nil {
		t.Fatal(err)
	}
	var operations []string
	for path, methods := range document.Paths {
		for method := range methods {
			operations = append(operations, strings.ToUpper(method)+" "+path)
		}
	}
	return operations
}

// Needed are the operations that other languages' clients have too. What signing in, health and the document itself need no client for has no
// form, account, key or organization in its path, and who asks what a link invites to is not signed in. Pages
// report refused keys. Nothing in Go makes envelopes or entries of lists and key logs, so nothing here stores or removes them.
var (
	needed  = regexp.MustCompile(`^\w+ /api/(forms|usage|notifications|api-keys|audit-log|organizations?|members|member-list|sessions|invitations)\b`)
	without = regexp.MustCompile(`^(POST /api/forms/reservations|POST /api/invitations/find|POST /api/member-list(/lost)?|(PUT|POST|DELETE) /api/forms/\{form_id\}/envelopes\b.*|(POST|DELETE) /api/forms/\{form_id\}/keys/log|POST /api/forms/\{form_id\}/keys/refused)$`)
)

func TestTheClientHasAMethodForEveryOperationAndAsksForNoOther(t *testing.T) {
	liveClient(t)
	recorder := &recorder{}
	client, err := NewClient("https://forms.example.org", ClientOptions{Transport: recorder, RetriesMax: -1})
	if err != nil {
		t.Fatal(err)
	}
	callAll(client)
	operations := readOperations(t)
	called := map[string]bool{}
	for _, asked := range recorder.asked {
		isOf := func(operation string) bool {
			pattern := regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(operation), `(id_1|\d+)`)
			return regexp.MustCompile("^" + pattern + "$").MatchString(asked)
		}
		index := slices.IndexFunc(operations, func(operation string) bool { return operation == asked })
		if index < 0 {
			index = slices.IndexFunc(operations, isOf)
		}
		if index < 0 {
			t.Errorf("%s is no operation of the API", asked)
			continue
		}
		called[operations[index]] = true
	}
	for _, operation := range operations {
		if needed.MatchString(operation) && !without.MatchString(operation) && !called[operation] {
			t.Errorf("no method asks for %s", operation)
		}
	}
	if len(called) < 40 {
		t.Error(len(called), "operations")
	}
}

package sealpost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// serve is a client of a server that answers as told, and waits for nothing between two tries.
func serve(t *testing.T, options ClientOptions, answer http.HandlerFunc) (*Client, *[]time.Duration) {
	t.Helper()
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	options.Token = "sp_token"
	client, err := NewClient(server.URL+"/", options)
	if err != nil {
		t.Fatal(err)
	}
	var waits []time.Duration
	client.Forms.calls.wait = func(ctx context.Context, delay time.Duration) error {
		waits = append(waits, delay)
		return ctx.Err()
	}
	return client, &waits
}

func submissionJSON(id string) string {
	return fmt.Sprintf(`{"id":"%s","formId":"%s","payload":{"encrypted":true,"version":"sp1","data":"","key":"","iv":""},"keyVersion":1,"timestamp":1,"receivedAt":2}`, id, testForm)
}

func TestAListIsLoadedPageByPageWhileItIsConsumed(t *testing.T) {
	var requests []string
	client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
		requests = append(requests, request.URL.String())
		if request.Header.Get("Authorization") != "Bearer sp_token" {
			t.Error("no credential")
		}
		next := map[string]string{"": `"one"`, "one": `"two"`, "two": "null"}[request.URL.Query().Get("cursor")]
		fmt.Fprintf(response, `{"forms":[{"id":"a"},{"id":"b"}],"total":6,"nextCursor":%s}`, next)
	})
	count := 0
	for form, err := range client.Forms.All(t.Context()) {
		if err != nil || form.ID == "" {
			t.Fatal(form, err)
		}
		count++
	}
	if count != 6 || len(requests) != 3 || requests[1] != "/api/forms?cursor=one&limit=100" {
		t.Error(count, requests)
	}
	for range client.Forms.All(t.Context()) {
		break
	}
	if len(requests) != 4 {
		t.Error("loaded more than was consumed:", requests)
	}
}

func TestAListWithoutAnEndIsAnError(t *testing.T) {
	client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
		fmt.Fprint(response, `{"forms":[{"id":"a"}],"nextCursor":"again"}`)
	})
	var last error
	for _, err := range client.Forms.All(t.Context()) {
		last = err
	}
	var failure *APIError
	if !errors.As(last, &failure) || failure.Code != CodeUnexpectedAnswer {
		t.Error(last)
	}
}

func TestARefusalSaysEverythingThatTheServerSays(t *testing.T) {
	client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("X-Request-Id", "req_1")
		response.WriteHeader(400)
		fmt.Fprint(response, `{"error":"bad_request","message":"Invalid form settings","code":"invalid","details":{"name":"Too long"}}`)
	})
	_, err := client.Forms.Create(t.Context(), FormToCreate{Name: "a"})
	var failure *APIError
	if !errors.As(err, &failure) || failure.Status != 400 || failure.Code != CodeBadRequest || failure.Message != "Invalid form settings" ||
		failure.Reason != "invalid" || failure.Details["name"] != "Too long" || failure.RequestID != "req_1" {
		t.Errorf("%+v", failure)
	}
}

func TestEachRequestIsRepeatedOnlyWhereThatIsHarmless(t *testing.T) {
	send := func(client *Client) error {
		submission := SubmissionToSend{ID: NewID(KindSubmission, time.Now()), Payload: Payload{Version: VersionRSA}, KeyVersion: 1}
		_, err := client.Submissions.Send(context.Background(), testForm, submission)
		return err
	}
	read := func(client *Client) error { _, err := client.Account.Usage(context.Background()); return err }
	create := func(client *Client) error {
		_, err := client.Forms.Create(context.Background(), FormToCreate{Name: "a"})
		return err
	}
	erase := func(client *Client) error { return client.Submissions.Delete(context.Background(), testForm, "sub_1") }
	for _, test := range []struct {
		name     string
		status   int // 0 breaks the connection
		request  func(*Client) error
		requests int32
	}{
		{"rate limit, reading", 429, read, 4}, {"rate limit, creating", 429, create, 4},
		{"unavailable, reading", 503, read, 4}, {"unavailable, sending", 503, send, 4},
		{"unavailable, creating", 503, create, 1}, {"unavailable, deleting", 503, erase, 1},
		{"broken, sending", 0, send, 4}, {"broken, creating", 0, create, 1}, {"broken, deleting", 0, erase, 1},
		{"refused, sending", 409, send, 1}, {"error, reading", 500, read, 1},
	} {
		var requests atomic.Int32
		var bodies sync.Map
		client, waits := serve(t, ClientOptions{Transport: &http.Transport{DisableKeepAlives: true}}, func(response http.ResponseWriter, request *http.Request) {
			requests.Add(1)
			body, _ := io.ReadAll(request.Body)
			bodies.Store(string(body), true)
			if test.status == 0 {
				panic(http.ErrAbortHandler)
			}
			response.Header().Set("Retry-After", "7")
			response.WriteHeader(test.status)
			fmt.Fprint(response, `{"error":"no"}`)
		})
		err := test.request(client)
		different := 0
		bodies.Range(func(any, any) bool { different++; return true })
		if err == nil || requests.Load() != test.requests || different != 1 || len(*waits) != int(test.requests)-1 {
			t.Errorf("%s: %v after %d requests, %d bodies, waits %v", test.name, err, requests.Load(), different, *waits)
		}
		for _, wait := range *waits {
			if test.status != 0 && wait != 7*time.Second {
				t.Errorf("%s: waited %s", test.name, wait)
			}
		}
	}
}

func TestAWaitThatIsTooLongIsAnErrorAtOnce(t *testing.T) {
	client, waits := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Retry-After", "3600")
		response.WriteHeader(503)
		fmt.Fprint(response, `{"error":"unavailable","message":"Full","code":"quota_reached"}`)
	})
	_, err := client.Account.Usage(t.Context())
	var failure *APIError
	if !errors.As(err, &failure) || failure.RetryAfter != time.Hour || failure.Reason != "quota_reached" || len(*waits) != 0 {
		t.Error(err, *waits)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the credential went elsewhere") }))
	defer other.Close()
	client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
		http.Redirect(response, request, other.URL, http.StatusTemporaryRedirect)
	})
	_, err := client.Account.Usage(t.Context())
	var failure *APIError
	if !errors.As(err, &failure) || failure.Status != 307 || failure.Code != CodeUnexpectedAnswer {
		t.Error(err)
	}
}

func TestASilentServerIsATimeoutAndACancelledContextSaysSo(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	arrived := make(chan struct{}, 8)
	client, _ := serve(t, ClientOptions{Timeout: 20 * time.Millisecond, RetriesMax: -1}, func(response http.ResponseWriter, request *http.Request) {
		arrived <- struct{}{}
		<-release
	})
	if _, err := client.Account.Usage(t.Context()); !errors.Is(err, ErrTimeout) {
		t.Error(err)
	}
	<-arrived
	patient, err := NewClient(client.Forms.calls.base, ClientOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := patient.Account.Usage(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestAnExportIsStreamedAndOneThatIsCutOffSaysSo(t *testing.T) {
	first, second := "sub_01hk153x00e5rbcwg8rxcnh8w5", "sub_01hk153x00e5rbcwg8rxcnh8w6"
	cut := false
	client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
		if request.Header.Get("Accept") != contentTypeLines || request.URL.Query().Get("after") != "sub_0" {
			t.Error(request.URL, request.Header)
		}
		response.Header().Set("Sealpost-Last-Submission", second)
		fmt.Fprintln(response, submissionJSON(first))
		if cut {
			fmt.Fprint(response, submissionJSON(second)[:30])
			http.NewResponseController(response).Flush()
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintln(response, submissionJSON(second))
	})
	for _, cut = range []bool{false, true} {
		var ids []string
		var failure error
		for submission, err := range client.Submissions.Export(t.Context(), testForm, ExportOptions{After: "sub_0"}) {
			if err != nil {
				failure = err
				continue
			}
			ids = append(ids, submission.ID)
		}
		if ids[0] != first || (failure != nil) != cut || (len(ids) == 1) != cut {
			t.Error(cut, ids, failure)
		}
		if cut && !errors.Is(failure, io.ErrUnexpectedEOF) {
			t.Error(failure)
		}
	}
}

func TestAnExportThatAProxyEndsAtTheEndOfALineIsWhole(t *testing.T) {
	ids := []string{"sub_01hk153x00e5rbcwg8rxcnh8w5", "sub_01hk153x00e5rbcwg8rxcnh8w6", "sub_01hk153x00e5rbcwg8rxcnh8w7"}
	for keepsHeader, asked := range map[bool]int{true: 3, false: 4} {
		requests := 0
		client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
			requests++
			place := slices.Index(ids, request.URL.Query().Get("after")) + 1
			if place == len(ids) {
				return
			}
			if keepsHeader {
				response.Header().Set("Sealpost-Last-Submission", ids[len(ids)-1])
			}
			fmt.Fprintln(response, submissionJSON(ids[place]))
		})
		var found []string
		for submission, err := range client.Submissions.Export(t.Context(), testForm, ExportOptions{}) {
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, submission.ID)
		}
		if !slices.Equal(found, ids) || requests != asked {
			t.Error(keepsHeader, found, requests)
		}
	}
	for empty, isWhole := range []bool{true, true, false} {
		requests := 0
		client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
			requests++
			response.Header().Set("Sealpost-Last-Submission", ids[0])
			if requests > empty {
				fmt.Fprintln(response, submissionJSON(ids[0]))
			}
		})
		found, failed := 0, false
		for _, err := range client.Submissions.Export(t.Context(), testForm, ExportOptions{}) {
			if failed = err != nil; !failed {
				found++
			}
		}
		if failed == isWhole || (found == 1) != isWhole {
			t.Error(empty, found, failed)
		}
	}
	client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
		fmt.Fprintln(response, submissionJSON(ids[0]))
	})
	var failures []error
	for _, err := range client.Submissions.Export(t.Context(), testForm, ExportOptions{}) {
		failures = append(failures, err)
	}
	if len(failures) != 2 || failures[0] != nil || failures[1] == nil {
		t.Error(failures)
	}
}

func TestAnAnswerThatIsNotTheAPIsIsAnError(t *testing.T) {
	for _, text := range []string{``, `<html>`, `{}`, `{"submission":null}`, `{"submission":{"id":"../x"}}`} {
		client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) { fmt.Fprint(response, text) })
		submission, err := client.Submissions.Get(t.Context(), testForm, "sub_1")
		var failure *APIError
		if !errors.As(err, &failure) || failure.Code != CodeUnexpectedAnswer {
			t.Errorf("%q: %v, %v", text, submission, err)
		}
	}
}

func TestAnIDThatWouldNameAnotherResourceIsNeverSent(t *testing.T) {
	client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) { t.Error(request.URL) })
	for _, id := range []string{"", "..", "a/b", "a?b", "ä"} {
		if err := client.Submissions.Delete(t.Context(), testForm, id); err == nil {
			t.Errorf("sent %q", id)
		}
	}
}

func TestAddressesAreChecked(t *testing.T) {
	for _, address := range []string{"", "forms.example.org", "ftp://a", "https://user:password@a", "https://a?b", "https://a#b", "http://"} {
		if _, err := NewClient(address, ClientOptions{}); err == nil {
			t.Errorf("taken: %s", address)
		}
	}
}

func TestManyIDsGoInPartsAndAreCountedTogether(t *testing.T) {
	var sizes []int
	var onlyInBin bool
	client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
		var body struct {
			IDs       []string
			OnlyInBin bool
		}
		if err := json.NewDecoder(request.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		sizes = append(sizes, len(body.IDs))
		onlyInBin = body.OnlyInBin
		count := len(body.IDs)
		fmt.Fprintf(response, `{"success":true,"deleted":{"submissionsDeleted":%d},"binned":{"submissionsBinned":%d,"submissionsDeleted":0,"hasMore":false},"restored":{"submissionsRestored":%d,"hasMore":false}}`, count, count, count)
	})
	ids := make([]string, 2500)
	deleted, err := client.Submissions.DeleteMany(t.Context(), testForm, ids)
	if err != nil || deleted != 2500 || fmt.Sprint(sizes) != "[1000 1000 500]" {
		t.Error(deleted, err, sizes)
	}
	deleted, err = client.Submissions.DeleteBinned(t.Context(), testForm, ids)
	if err != nil || deleted != 2500 || !onlyInBin {
		t.Error(deleted, err, onlyInBin)
	}
	binned, err := client.Submissions.MoveToBin(t.Context(), testForm, ids)
	if err != nil || binned.SubmissionsBinned != 2500 {
		t.Error(binned, err)
	}
	restored, err := client.Submissions.Restore(t.Context(), testForm, ids)
	if err != nil || restored != 2500 {
		t.Error(restored, err)
	}
}

func TestAKeyIsLimitedAndEndsAsAskedAndSessionsAreListedAndEnded(t *testing.T) {
	var bodies []string
	client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
		body, _ := io.ReadAll(request.Body)
		switch request.Method + " " + request.URL.Path {
		case "POST /api/api-keys":
			bodies = append(bodies, string(body))
			fmt.Fprint(response, `{"key":{"id":"key_1","forms":["form_1"],"expiresAt":"2027-01-01T00:00:00Z"},"warning":"","warningCode":""}`)
		case "GET /api/sessions":
			fmt.Fprint(response, `{"sessions":[{"id":"s1","browser":null,"lastUsedAt":1735689600000,"current":true}],"total":1}`)
		case "DELETE /api/sessions/s1":
			fmt.Fprint(response, `{"success":true}`)
		case "POST /api/sessions/end-others":
			fmt.Fprint(response, `{"ended":2}`)
		default:
			t.Error(request.Method, request.URL.Path)
		}
	})
	end := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	key, err := client.APIKeys.CreateLimited(t.Context(), "One", APIKeyLimits{Forms: []string{"form_1"}, ExpiresAt: end})
	if err != nil || len(key.Forms) != 1 || !key.ExpiresAt.Equal(end) {
		t.Error(key, err)
	}
	if _, err := client.APIKeys.Create(t.Context(), "All", "forms:read"); err != nil {
		t.Error(err)
	}
	wanted := []string{
		`{"name":"One","forms":["form_1"],"expiresAt":"2027-01-01T00:00:00Z"}`,
		`{"name":"All","permissions":["forms:read"]}`,
	}
	if !slices.Equal(bodies, wanted) {
		t.Error(bodies)
	}
	sessions, err := client.Sessions.List(t.Context())
	if err != nil || len(sessions) != 1 || !sessions[0].Current || sessions[0].LastUsedAt != Milliseconds(end.AddDate(-2, 0, 0).UnixMilli()) {
		t.Error(sessions, err)
	}
	if err := client.Sessions.End(t.Context(), "s1"); err != nil {
		t.Error(err)
	}
	if ended, err := client.Sessions.EndOthers(t.Context()); err != nil || ended != 2 {
		t.Error(ended, err)
	}
}

func TestKeysAreNewestFirstAndEnvelopesByVersionInWhateverOrderTheyCome(t *testing.T) {
	for _, versions := range [][]int{{1, 2}, {2, 1}, {1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}} {
		client, _ := serve(t, ClientOptions{}, func(response http.ResponseWriter, request *http.Request) {
			var keys, envelopes []map[string]int
			for _, version := range versions {
				keys = append(keys, map[string]int{"version": version})
				envelopes = append(envelopes, map[string]int{"lowestVersion": version})
			}
			json.NewEncoder(response).Encode(map[string]any{"keys": keys, "envelopes": envelopes, "removals": []int{}, "restorableUntil": nil})
		})
		listed, err := client.Forms.Keys(t.Context(), testForm)
		closed, errClosed := client.Forms.CloseKeys(t.Context(), testForm, 2, nil)
		envelopes, errEnvelopes := client.Forms.Envelopes(t.Context(), testForm)
		if err := errors.Join(err, errClosed, errEnvelopes); err != nil {
			t.Fatal(err)
		}
		for index := range versions {
			newest := len(versions) - index
			if listed[index].Version != newest || closed[index].Version != newest || envelopes[index].LowestVersion != index+1 {
				t.Error(versions, listed, closed, envelopes)
			}
		}
	}
}

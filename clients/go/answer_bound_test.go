package sealpost

import (
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// endlessZeros never ends, and are compressed a thousandfold.
type endlessZeros struct{}

func (endlessZeros) Read(buffer []byte) (int, error) {
	clear(buffer)
	return len(buffer), nil
}

func TestAnAnswerWithoutEndIsReadToABoundWhetherItIsCompressedOrNot(t *testing.T) {
	for _, isCompressed := range []bool{false, true} {
		ended := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
			defer close(ended)
			if !isCompressed {
				_, _ = io.Copy(answer, endlessZeros{})
				return
			}
			if request.Header.Get("Accept-Encoding") != "gzip" {
				t.Error("the client takes no gzip")
			}
			answer.Header().Set("Content-Encoding", "gzip")
			_, _ = io.Copy(gzip.NewWriter(answer), endlessZeros{})
		}))
		defer server.Close()
		client, err := NewClient(server.URL, ClientOptions{RetriesMax: -1})
		if err != nil {
			t.Fatal(err)
		}
		calls := client.Forms.calls
		if calls.answerBytesMax != 256<<20 {
			t.Error("another bound than in the other languages:", calls.answerBytesMax)
		}
		calls.answerBytesMax = 1 << 16
		if _, err := client.Forms.Get(context.Background(), "form_1"); !isUnexpected(err) {
			t.Error("compressed:", isCompressed, err)
		}
		if _, err := calls.data(context.Background(), request{method: "GET", path: "/api/x"}); !isUnexpected(err) {
			t.Error("bytes, compressed:", isCompressed, err)
		}
		<-ended
	}
}

func TestAnAnswerOfTheBoundIsRead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, _ *http.Request) {
		_, _ = io.CopyN(answer, endlessZeros{}, 1<<16)
	}))
	defer server.Close()
	client, err := NewClient(server.URL, ClientOptions{RetriesMax: -1})
	if err != nil {
		t.Fatal(err)
	}
	client.Forms.calls.answerBytesMax = 1 << 16
	data, err := client.Forms.calls.data(context.Background(), request{method: "GET", path: "/api/x"})
	if err != nil || len(data) != 1<<16 {
		t.Error(len(data), err)
	}
}

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"

	sealpost "sealpost-go"
)

func TestTheReadmeShowsThisProgram(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("main.go")
	_, code, _ := strings.Cut(string(program), "\n")
	if err != nil || !strings.Contains(string(readme), "```go\n"+code+"```\n") {
		t.Error("README.md does not show main.go", err)
	}
}

// The service that npm run test:clients has started sent these: one submission sealed to the first key, and one after a rotation.
func TestWebhooksOpenWithAnIdentityAlsoAfterARotation(t *testing.T) {
	path := os.Getenv("SEALPOST_ENVELOPE_WEBHOOKS_FILE")
	if path == "" {
		t.Skip("no service: npm run test:clients starts one")
	}
	t.Setenv("SEALPOST_TOKEN", os.Getenv("SEALPOST_ENVELOPE_TOKEN"))
	t.Setenv("SEALPOST_WEBHOOK_SECRET", os.Getenv("SEALPOST_ENVELOPE_SECRET"))
	var webhooks []struct {
		Headers map[string]string
		Body    []byte
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &webhooks) != nil || len(webhooks) != 2 {
		t.Fatal(err)
	}
	identity := os.Getenv("SEALPOST_IDENTITY_FILE")
	receive := func(receiver *sealpost.Receiver, place int) (*sealpost.SubmissionCreated, error) {
		header := http.Header{}
		for name, value := range webhooks[place].Headers {
			header.Set(name, value)
		}
		delivery, err := receiver.ReceiveBody(header, webhooks[place].Body)
		if err != nil {
			return nil, err
		}
		return delivery.Event.(*sealpost.SubmissionCreated), nil
	}
	list := os.Getenv("SEALPOST_LIST")
	t.Setenv("SEALPOST_LIST", "")
	stranger, err := newReceiver(identity)
	if err != nil {
		t.Fatal(err)
	}
	if event, err := receive(stranger, 0); event != nil || statusOf(err) != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "NUMBER-HASH") {
		t.Error(event, err)
	}
	t.Setenv("SEALPOST_LIST", list)
	receiver, err := newReceiver(identity)
	if err != nil {
		t.Fatal(err)
	}
	for place := range webhooks {
		event, err := receive(receiver, place)
		if err != nil || event.Err != nil || event.Submission.KeyVersion != place+1 || event.Fields["name"] == nil {
			t.Error(place, event, err)
		}
	}
	if _, err := receiver.ReceiveBody(http.Header{}, nil); statusOf(err) != http.StatusUnauthorized || statusOf(nil) != http.StatusNoContent {
		t.Error(err)
	}
}

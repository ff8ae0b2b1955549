package sealpost

import (
	"encoding/json"
	"errors"
	"net/http"
	"testing"
	"time"
)

// header has the three headers of Standard Webhooks; http.Header.Set would be the same.
func header(id, timestamp, signature string) http.Header {
	return http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {timestamp}, "Webhook-Signature": {signature}}
}

func TestEveryRequestHasTheOutcomeOfItsVector(t *testing.T) {
	expected := map[string]error{
		"valid": nil, "invalid_signature": ErrInvalidSignature, "timestamp_out_of_tolerance": ErrTimestampOutOfTolerance,
	}
	for _, vector := range readVectors[[]struct {
		Name, Secret, ID, Timestamp, Body, Signature, Outcome string
		Now                                                   int64
	}](t, "webhook-verification.json") {
		now := time.Unix(vector.Now, 0)
		verified, err := Verify([]string{vector.Secret}, header(vector.ID, vector.Timestamp, vector.Signature), []byte(vector.Body), now)
		if want, known := expected[vector.Outcome]; !known || !errors.Is(err, want) {
			t.Errorf("%s: %v, want %s", vector.Name, err, vector.Outcome)
		}
		if err == nil && verified.DeliveryID != vector.ID {
			t.Errorf("%s: %s", vector.Name, verified.DeliveryID)
		}
	}
}

func TestSignaturesAreMadeTakenAndRefused(t *testing.T) {
	type signed struct {
		Name, Secret, ID, Body, Signature string
		Timestamp                         json.RawMessage
	}
	vectors := readVectors[struct{ Service, Standard, RefusedService, RefusedStandard []signed }](t, "webhook-signatures.json")
	for _, vector := range vectors.Service {
		if !VerifyService([]string{"another", vector.Secret}, []byte(vector.Body), vector.Signature) {
			t.Errorf("refused: %s", vector.Signature)
		}
	}
	for _, vector := range vectors.RefusedService {
		if VerifyService([]string{vector.Secret}, []byte(vector.Body), vector.Signature) {
			t.Errorf("taken: %s", vector.Name)
		}
	}
	for _, vector := range vectors.Standard {
		var seconds int64
		if err := json.Unmarshal(vector.Timestamp, &seconds); err != nil {
			t.Fatal(err)
		}
		now := time.Unix(seconds, 0)
		if signature := SignWebhook(vector.Secret, vector.ID, now, []byte(vector.Body)); signature != vector.Signature {
			t.Errorf("signed as %s, not %s", signature, vector.Signature)
		}
		if _, err := Verify([]string{vector.Secret}, header(vector.ID, string(vector.Timestamp), vector.Signature), []byte(vector.Body), now); err != nil {
			t.Error(vector.ID, err)
		}
	}
	for _, vector := range vectors.RefusedStandard {
		var timestamp string
		if err := json.Unmarshal(vector.Timestamp, &timestamp); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify([]string{vector.Secret}, header(vector.ID, timestamp, vector.Signature), []byte(vector.Body), time.Unix(1704067200, 0)); err == nil {
			t.Errorf("taken: %s", vector.Name)
		}
	}
}

func TestADoubledIDOrTimestampAndAMissingHeaderAreNeverTaken(t *testing.T) {
	secret, now, body := NewWebhookSecret(), time.Unix(1704067200, 0), []byte("{}")
	signature := SignWebhook(secret, "dlv_1", now, body)
	for _, name := range []string{"Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"} {
		doubled := header("dlv_1", "1704067200", signature)
		doubled[name] = append(doubled[name], doubled[name][0])
		_, err := Verify([]string{secret}, doubled, body, now)
		// Several signatures are nothing unusual: one that is right proves the same in a second header.
		if name != "Webhook-Signature" && !errors.Is(err, ErrInvalidSignature) {
			t.Errorf("%s twice: %v", name, err)
		}
		delete(doubled, name)
		if _, err := Verify([]string{secret}, doubled, body, now); !errors.Is(err, ErrMissingHeader) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

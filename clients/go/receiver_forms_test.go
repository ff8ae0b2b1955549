package sealpost

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestASecretSpeaksForItsOwnFormAloneAsItsVectorSays(t *testing.T) {
	outcomes := map[error]string{
		nil: "received", ErrInvalidSignature: "invalid_signature", ErrTimestampOutOfTolerance: "timestamp_out_of_tolerance",
		ErrMalformedBody: "malformed_body", ErrWrongForm: "wrong_form",
	}
	for _, vector := range readVectors[[]struct {
		Name, ID, Timestamp, Signature, Body, Outcome string
		Secrets                                       json.RawMessage
		Now                                           int64
	}](t, "webhook-receivers.json") {
		options := ReceiverOptions{Now: func() time.Time { return time.Unix(vector.Now, 0) }}
		if json.Unmarshal(vector.Secrets, &options.Secret) != nil {
			if err := json.Unmarshal(vector.Secrets, &options.Secrets); err != nil {
				t.Fatal(err)
			}
		}
		receiver, err := NewReceiver(options)
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{}
		header.Set("webhook-id", vector.ID)
		header.Set("webhook-timestamp", vector.Timestamp)
		header.Set("webhook-signature", vector.Signature)
		delivery, err := receiver.ReceiveBody(header, []byte(vector.Body))
		if outcomes[err] != vector.Outcome || (delivery == nil) == (err == nil) {
			t.Errorf("%s: %v, not %s", vector.Name, err, vector.Outcome)
		}
	}
}

func TestAReceiverWhoseSecretsAreTiedToNoFormOrToTwoIsNotMade(t *testing.T) {
	form, other, secret := NewID(KindForm, time.Now()), NewID(KindForm, time.Now()), NewWebhookSecret()
	for _, options := range []ReceiverOptions{
		{},
		{Secrets: map[string][]string{}},
		{Secret: "secret"},
		{Secret: "whsec_AAAA"},
		{Secret: secret + "\n"},
		{Secret: secret, Secrets: map[string][]string{form: {secret}}},
		{Secrets: map[string][]string{form: {}}},
		{Secrets: map[string][]string{form: {secret, "whsec_"}}},
		{Secrets: map[string][]string{secret: {form}}},
		{Secrets: map[string][]string{"contact": {secret}}},
		{Secrets: map[string][]string{form: {secret}, other: {secret}}},
		{Secrets: map[string][]string{form: {secret, secret}}},
	} {
		if _, err := NewReceiver(options); err == nil || errors.Unwrap(err) != nil || strings.Contains(err.Error(), secret[:20]) {
			t.Errorf("%v: %v", options, err)
		}
	}
}

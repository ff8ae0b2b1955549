package sealpost

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const testForm = "form_01hk153x00e5rbcwg8rxcnh8w4"

// post signs a body and gives it to a receiver, over HTTP.
func post(t *testing.T, receiver *Receiver, secret string, now time.Time, body []byte) (*Delivery, error) {
	t.Helper()
	var delivery *Delivery
	var received error
	server := httptest.NewServer(http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		delivery, received = receiver.Receive(request)
	}))
	defer server.Close()
	request, err := http.NewRequest("POST", server.URL, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("webhook-id", "dlv_1")
	request.Header.Set("webhook-timestamp", fmt.Sprint(now.Unix()))
	request.Header.Set("webhook-signature", SignWebhook(secret, "dlv_1", now, body))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return delivery, received
}

func createdBody(t *testing.T, vector openingVector) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"event": "submission.created", "timestamp": 1, "form": map[string]any{"id": vector.FormID, "name": "Contact"},
		"submission": map[string]any{
			"id": vector.SubmissionID, "payload": vector.Payload, "keyVersion": vector.KeyVersion, "timestamp": 1, "receivedAt": 2,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func testReceiver(t *testing.T, now time.Time, acceptPlain bool) (*Receiver, string) {
	t.Helper()
	secret := NewWebhookSecret()
	all := vectorKeys(t)
	options := ReceiverOptions{
		Secret: secret, AcceptPlain: acceptPlain, Now: func() time.Time { return now },
	}
	for _, name := range []string{"first", "hybrid first"} {
		key, err := ParseOpeningKey(all[name].PrivateKey)
		if err != nil {
			t.Fatal(err)
		}
		options.Keys = append(options.Keys, key)
	}
	receiver, err := NewReceiver(options)
	if err != nil {
		t.Fatal(err)
	}
	return receiver, secret
}

func TestAReceiverVerifiesAndOpensBothFormats(t *testing.T) {
	now := time.Unix(1704067200, 0)
	receiver, secret := testReceiver(t, now, false)
	for _, file := range []string{"good.json", "hybrid.json"} {
		vector := readVectors[[]openingVector](t, file)[0]
		delivery, err := post(t, receiver, secret, now, createdBody(t, vector))
		if err != nil {
			t.Fatal(err)
		}
		event, ok := delivery.Event.(*SubmissionCreated)
		if !ok || event.Err != nil || !event.Sealed || len(event.Fields) == 0 || delivery.ID != "dlv_1" || event.Form.Name != "Contact" {
			t.Fatalf("%s: %+v", file, event)
		}
		if event.Submission.FormID != vector.FormID || event.Submission.ReceivedAt.Time().UnixMilli() != 2 {
			t.Fatalf("%+v", event.Submission)
		}
	}
}

func TestAReceiverTakesNothingThatIsNotSignedNow(t *testing.T) {
	now := time.Unix(1704067200, 0)
	receiver, secret := testReceiver(t, now, false)
	body := createdBody(t, readVectors[[]openingVector](t, "good.json")[0])
	if _, err := post(t, receiver, NewWebhookSecret(), now, body); !errors.Is(err, ErrInvalidSignature) {
		t.Error(err)
	}
	if _, err := post(t, receiver, secret, now.Add(-301*time.Second), body); !errors.Is(err, ErrTimestampOutOfTolerance) {
		t.Error(err)
	}
	if _, err := post(t, receiver, secret, now, bytes.Repeat([]byte(" "), bodyBytesMax+1)); !errors.Is(err, ErrBodyTooLarge) {
		t.Error(err)
	}
}

func TestAPlainSubmissionIsOnlyTakenWhereItIsExpected(t *testing.T) {
	now := time.Unix(1704067200, 0)
	vector := openingVector{FormID: testForm, SubmissionID: "sub_01hk153x00e5rbcwg8rxcnh8w5"}
	vector.Payload = Payload{Version: VersionPlain, Fields: Fields{"a": "b"}}
	for _, acceptPlain := range []bool{false, true} {
		receiver, secret := testReceiver(t, now, acceptPlain)
		delivery, err := post(t, receiver, secret, now, createdBody(t, vector))
		if err != nil {
			t.Fatal(err)
		}
		event := delivery.Event.(*SubmissionCreated)
		if event.Sealed || (event.Err == nil) != acceptPlain || (event.Fields["a"] == "b") != acceptPlain {
			t.Errorf("%+v", event)
		}
		if !acceptPlain && event.Err != ErrNotSealed {
			t.Error(event.Err)
		}
	}
}

func TestEventsAreRead(t *testing.T) {
	form := `"timestamp":5,"form":{"id":"` + testForm + `","name":"Contact"}`
	for text, check := range map[string]func(Event) bool{
		`{"event":"submission.deleted",` + form + `,"submission":{"id":"sub_1"},"test":true}`: func(event Event) bool {
			deleted, ok := event.(*SubmissionDeleted)
			return ok && deleted.SubmissionID == "sub_1" && deleted.Test && deleted.Timestamp == 5
		},
		`{"event":"form.updated",` + form + `,"changes":{"name":"New","settings":{"binDays":3}}}`: func(event Event) bool {
			updated, ok := event.(*FormUpdated)
			return ok && updated.Name == "New" && fmt.Sprint(updated.Settings["binDays"]) == "3"
		},
		`{"event":"form.keys_rotated",` + form + `,"keys":{"keyVersion":2,"previousKeyVersion":1,"publicKey":{"kty":"RSA","n":"AQ","e":"AQAB"},"rotatedAt":7}}`: func(event Event) bool {
			rotated, ok := event.(*FormKeysRotated)
			return ok && rotated.KeyVersion == 2 && rotated.PublicKey.N == "AQ" && rotated.HybridPublicKey == nil && rotated.Kind() == "form.keys_rotated"
		},
		`{"event":"form.keys_rotated",` + form + `,"keys":{"keyVersion":2,"previousKeyVersion":1,"publicKey":{"kty":"RSA","n":"AQ","e":"AQAB"},"hybridPublicKey":{"kty":"AKP","alg":"MLKEM768-X25519","pub":"AQ"},"rotatedAt":7}}`: func(event Event) bool {
			rotated, ok := event.(*FormKeysRotated)
			return ok && rotated.HybridPublicKey != nil && rotated.HybridPublicKey.Pub == "AQ"
		},
		`{"event":"form.folded","more":1}`: func(event Event) bool {
			unknown, ok := event.(*UnknownEvent)
			return ok && unknown.Kind() == "form.folded" && unknown.Body["more"] != nil
		},
	} {
		event, err := ParseEvent([]byte(text))
		if err != nil || !check(event) {
			t.Errorf("%s: %v, %+v", text, err, event)
		}
	}
	for _, text := range []string{
		``, `[]`, `{}`, `{"event":1}`, "{\"event\":\"a\xff\"}", `{"EVENT":"form.folded"}`, `{"event":"submission.created"}`,
		`{"event":"submission.deleted",` + form + `,"submission":{"ID":"sub_1"}}`,
		`{"event":"submission.created",` + form + `,"submission":{"id":"sub_1","keyVersion":1,"timestamp":1,"receivedAt":1}}`,
		`{"event":"form.updated",` + form + `,"changes":{"name":1}}`, `{"event":"form.updated",` + form + `,"changes":{"settings":[]}}`,
	} {
		if event, err := ParseEvent([]byte(text)); err != ErrMalformedBody {
			t.Errorf("%s: %v, %+v", text, err, event)
		}
	}
}

func TestAReceiverThatIsConfiguredWronglyIsNotMade(t *testing.T) {
	if _, err := NewReceiver(ReceiverOptions{Secret: NewWebhookSecret(), Keys: []*OpeningKey{nil}}); err == nil {
		t.Error("took a key that is nil")
	}
}

func TestPrivateKeysThatDoNotFitAreRefusedWithoutBeingShown(t *testing.T) {
	all := vectorKeys(t)
	for name, key := range all {
		var jwk map[string]any
		if err := json.Unmarshal(key.PrivateKey, &jwk); err != nil {
			t.Fatal(err)
		}
		for member := range jwk {
			for _, other := range []any{nil, "", "AQ", "!", 5, strings.Repeat("A", 43)} {
				changed := map[string]any{}
				for name, value := range jwk {
					changed[name] = value
				}
				if changed[member] = other; other == nil {
					delete(changed, member)
				}
				text, err := json.Marshal(changed)
				if err != nil {
					t.Fatal(err)
				}
				_, err = ParseOpeningKey(text)
				if err == nil {
					t.Errorf("%s: took %s = %v", name, member, other)
				} else if secret, ok := jwk["d"].(string); ok && strings.Contains(err.Error(), secret) {
					t.Errorf("%s: %v shows the key", name, err)
				}
			}
		}
		file := fmt.Sprintf(`{"sealpost":"private-key","version":1,"formId":"%s","keyVersion":3,"fingerprint":"%s","privateKey":%s}`, testForm, key.Fingerprint, key.PrivateKey)
		opening, err := ParseOpeningKey([]byte(file))
		if err != nil || opening.FormID != testForm || opening.KeyVersion != 3 {
			t.Errorf("%s: %v", name, err)
		}
		for _, wrong := range []string{`"version":2`, `"fingerprint":"x"`, `"keyVersion":0`, `"formId":5`} {
			before := wrong[:strings.Index(wrong, ":")]
			start := strings.Index(file, before)
			end := start + strings.Index(file[start:], ",")
			if _, err := ParseOpeningKey([]byte(file[:start] + wrong + file[end:])); err == nil {
				t.Errorf("%s: took a key file with %s", name, wrong)
			}
		}
	}
}

func TestAKeyFileOfBothKeysOpensBothFormatsAndHalfOfOneIsRefused(t *testing.T) {
	all := vectorKeys(t)
	rsa, hybrid := all["first"], all["hybrid first"]
	file := func(members string) []byte {
		return []byte(fmt.Sprintf(`{"sealpost":"private-key","version":1,"formId":"%s","keyVersion":3%s}`, testForm, members))
	}
	rsaMember := fmt.Sprintf(`,"fingerprint":"%s","privateKey":%s`, rsa.Fingerprint, rsa.PrivateKey)
	hybridMember := fmt.Sprintf(`,"hybridPrivateKey":%s`, hybrid.PrivateKey)
	fingerprint := fmt.Sprintf(`,"hybridFingerprint":"%s"`, hybrid.Fingerprint)
	key, err := ParseOpeningKey(file(rsaMember + fingerprint + hybridMember))
	if err != nil {
		t.Fatal(err)
	}
	binding := Binding{FormID: testForm, KeyVersion: 3, SubmissionID: NewID(KindSubmission, time.Now())}
	for _, public := range []PublicKey{rsa.PublicKey, hybrid.PublicKey} {
		payload, err := Seal(Fields{"name": "Zoë"}, binding, public)
		if err != nil {
			t.Fatal(err)
		}
		for _, expected := range []string{"", rsa.Fingerprint, hybrid.Fingerprint} {
			sealed := Sealed{Binding: binding, Payload: payload, ExpectedFingerprint: expected}
			if fields, err := Open(sealed, []*OpeningKey{key}); err != nil || fields["name"] != "Zoë" {
				t.Errorf("%s with %q: %v", payload.Version, expected, err)
			}
		}
		sealed := Sealed{Binding: binding, Payload: payload, ExpectedFingerprint: "another"}
		if _, err := Open(sealed, []*OpeningKey{key}); err != ErrNoKey {
			t.Errorf("%s with another fingerprint: %v", payload.Version, err)
		}
	}
	wrong := map[string]string{
		"half a key file: it lacks privateKey":       fingerprint + hybridMember,
		"half a key file: it lacks hybridPrivateKey": rsaMember + fingerprint,
		"not a hybrid private key":                   rsaMember + fmt.Sprintf(`,"hybridPrivateKey":%s`, rsa.PrivateKey),
		"another hybrid key":                         rsaMember + fingerprint + fmt.Sprintf(`,"hybridPrivateKey":%s`, all["hybrid second"].PrivateKey),
	}
	for message, members := range wrong {
		if _, err := ParseOpeningKey(file(members)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v", message, err)
		}
	}
}

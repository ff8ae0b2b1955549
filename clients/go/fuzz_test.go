package sealpost

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"
)

// Each seed is a vector; `go test -fuzz FuzzOpen` goes on from there.

func FuzzOpen(f *testing.F) {
	all := vectorKeys(f)
	var keys []*OpeningKey
	for _, name := range []string{"small", "hybrid first"} {
		key, err := ParseOpeningKey(all[name].PrivateKey)
		if err != nil {
			f.Fatal(err)
		}
		keys = append(keys, key)
	}
	for _, file := range openingFiles {
		for _, vector := range readVectors[[]openingVector](f, file) {
			text, err := encodeJSON(vector.Payload)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text, vector.FormID, vector.SubmissionID, vector.KeyVersion)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, formID, submissionID string, keyVersion int) {
		var payload Payload
		if payload.UnmarshalJSON(text) != nil {
			return
		}
		fields, err := Open(Sealed{Binding: Binding{formID, keyVersion, submissionID}, Payload: payload}, keys)
		if (fields == nil) == (err == nil) {
			t.Fatal("neither fields nor an error, or both")
		}
		if err != nil && err != ErrUnknownVersion && err != ErrNoKey && err != ErrCouldNotBeOpened {
			t.Fatal(err)
		}
	})
}

// FuzzFields is about what a hostile sealer can write, which FuzzOpen can't reach behind the cipher.
func FuzzFields(f *testing.F) {
	for _, text := range []string{`{"a":[1e400,null,true]}`, `{"a":1,"a":2}`, "{\"\xff\":1}", `{"\ud800":1}`, `[]`, ` {} `} {
		f.Add([]byte(text))
	}
	all := vectorKeys(f)
	key, err := ParseOpeningKey(all["hybrid first"].PrivateKey)
	if err != nil {
		f.Fatal(err)
	}
	binding := Binding{testForm, 1, "sub_01hk153x00e5rbcwg8rxcnh8w5"}
	f.Fuzz(func(t *testing.T, plaintext []byte) {
		payload, err := sealPlaintext(plaintext, binding, all["hybrid first"].PublicKey, randomBytes(32), randomBytes(12))
		if err != nil {
			t.Fatal(err)
		}
		fields, err := Open(Sealed{Binding: binding, Payload: payload}, []*OpeningKey{key})
		if err != nil && err != ErrCouldNotBeOpened {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		// What opened can be sealed and opened again, and says the same.
		again, err := Seal(fields, binding, all["hybrid first"].PublicKey)
		if err != nil {
			t.Fatal(err)
		}
		same, err := Open(Sealed{Binding: binding, Payload: again}, []*OpeningKey{key})
		if err != nil || len(same) != len(fields) {
			t.Fatal(err, same, fields)
		}
	})
}

func FuzzVerify(f *testing.F) {
	secret, now := NewWebhookSecret(), time.Unix(1704067200, 0)
	for _, vector := range readVectors[[]struct{ ID, Timestamp, Body, Signature string }](f, "webhook-verification.json") {
		f.Add(vector.ID, vector.Timestamp, vector.Signature, []byte(vector.Body))
	}
	receiver, err := NewReceiver(ReceiverOptions{Secret: secret, Now: func() time.Time { return now }})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte) {
		// Nobody guesses a secret of 32 random bytes.
		if _, err := receiver.ReceiveBody(header(id, timestamp, signature), body); !errors.Is(err, ErrInvalidSignature) {
			t.Fatal(err)
		}
		VerifyService([]string{secret}, body, signature)
		signed := http.Header{"Webhook-Id": {"dlv_1"}, "Webhook-Timestamp": {"1704067200"}, "Webhook-Signature": {SignWebhook(secret, "dlv_1", now, body)}}
		if _, err := receiver.ReceiveBody(signed, body); err != nil && err != ErrMalformedBody {
			t.Fatal(err)
		}
	})
}

func FuzzFile(f *testing.F) {
	key := FileKey{FormID: testForm, SubmissionID: "sub_01hk153x00e5rbcwg8rxcnh8w5", FileID: "fil_01hk153x00e5rbcwg8rxcnh8w5", Key: make([]byte, fileKeyBytes), Size: 10}
	sealer, err := SealFile(bytes.NewReader(plainBytes(10)), key)
	if err != nil {
		f.Fatal(err)
	}
	sealed, err := io.ReadAll(sealer)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sealed, int64(10))
	f.Add(sealed[:1071], int64(10))
	f.Add(sealed[32:], int64(10))
	f.Add(sealed, int64(11))
	f.Add([]byte{}, int64(0))
	f.Add(sealed, int64(-1))
	f.Fuzz(func(t *testing.T, bytesRead []byte, size int64) {
		claimed := key
		claimed.Size = size
		opened, err := openAll(bytes.NewReader(bytesRead), claimed)
		if err == nil && (!bytes.Equal(bytesRead, sealed) || int64(len(opened)) != size) {
			t.Fatal("something else opened")
		}
	})
}

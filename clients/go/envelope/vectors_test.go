package envelope

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
)

func readVectors[T any](t *testing.T, name string) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "packages", "wire", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	var vectors T
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	return vectors
}

type listVector struct {
	Name, OrganizationID, List, ListBase64, Outcome string
	Trust                                           struct {
		Head       *Head
		SigningKey string
	}
	Head    Head
	Members []string
}

func (vector listVector) verify() (*List, error) {
	text := []byte(vector.List)
	if vector.ListBase64 != "" {
		text, _ = base64.StdEncoding.DecodeString(vector.ListBase64)
	}
	return VerifyList(text, nil, vector.OrganizationID, Trust{vector.Trust.Head, vector.Trust.SigningKey})
}

func outcomeOf(err error, success string) string {
	if refusal, ok := err.(Refusal); ok {
		return string(refusal)
	}
	if err != nil {
		return err.Error()
	}
	return success
}

func TestEachListIsVerifiedOrRefusedAsItsVectorSays(t *testing.T) {
	for _, vector := range readVectors[[]listVector](t, "signed-lists.json") {
		list, err := vector.verify()
		if got := outcomeOf(err, "verified"); got != vector.Outcome {
			t.Errorf("%s: %s, not %s", vector.Name, got, vector.Outcome)
		}
		if list == nil {
			continue
		}
		var ids []string
		for id := range list.Members {
			ids = append(ids, id)
		}
		slices.Sort(ids)
		slices.Sort(vector.Members)
		if list.Head != vector.Head || !slices.Equal(ids, vector.Members) {
			t.Errorf("%s: %v %v", vector.Name, list.Head, ids)
		}
		if members, ok := list.membersAt(list.Head); !ok || !reflect.DeepEqual(members, list.Members) {
			t.Error(vector.Name)
		}
	}
}

func TestEachSignedLineIsTakenOrRefusedAsItsVectorSays(t *testing.T) {
	for _, vector := range readVectors[[]listVector](t, "signed-lines.json") {
		_, err := vector.verify()
		if got := outcomeOf(err, "verified"); got != vector.Outcome {
			t.Errorf("%s: %s, not %s", vector.Name, got, vector.Outcome)
		}
	}
}

type keyLogVector struct {
	Name, FormID, Log, Outcome string
	Head                       *Head
	Newest                     struct {
		Head             Head
		Place            int64
		Key              LoggedKey
		Owners, Managers []string
	}
}

func TestEachKeyLogIsVerifiedOrRefusedAsItsVectorSays(t *testing.T) {
	for _, vector := range readVectors[[]keyLogVector](t, "key-logs.json") {
		log, err := VerifyKeyLog([]byte(vector.Log), vector.FormID, vector.Head)
		if got := outcomeOf(err, "verified"); got != vector.Outcome {
			t.Errorf("%s: %s, not %s", vector.Name, got, vector.Outcome)
		}
		if log == nil {
			continue
		}
		newest, expected := log.Newest, vector.Newest
		if log.Head != expected.Head || newest.Place != expected.Place || !reflect.DeepEqual(newest.Key, expected.Key) ||
			!slices.Equal(newest.Owners, expected.Owners) || !slices.Equal(newest.Managers, expected.Managers) {
			t.Errorf("%s: %v %v", vector.Name, log.Head, newest)
		}
	}
}

func TestEachSignatureIsRightOrWrongAsItsVectorSays(t *testing.T) {
	type signatureVector struct {
		Name, PublicKey, Message, Signature string
		IsRight                             bool
	}
	for _, vector := range readVectors[[]signatureVector](t, "ed25519.json") {
		key, isKey := decodeStrictly(vector.PublicKey)
		message, isMessage := decodeStrictly(vector.Message)
		signature, isSignature := decodeStrictly(vector.Signature)
		if !isKey || !isMessage || !isSignature {
			t.Fatal(vector.Name)
		}
		if verifyEd25519(key, signature, message) != vector.IsRight {
			t.Errorf("%s is not %t", vector.Name, vector.IsRight)
		}
	}
}

func identityOf(t *testing.T, text string) age.Identity {
	identities, err := age.ParseIdentities(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return identities[0]
}

func TestEachEnvelopeIsOpenedOrRefusedAsItsVectorSays(t *testing.T) {
	people := readVectors[map[string]struct{ Identity string }](t, "personal-keys.json")
	lists := map[string]*List{}
	for _, vector := range readVectors[[]listVector](t, "signed-lists.json") {
		lists[vector.Name], _ = vector.verify()
	}
	type envelopeVector struct {
		Name, Envelope, Reader, FormID, List, Outcome string
		FirstVersion, Revision                        int64
		KeyLog                                        []Head
		Published                                     []struct {
			Version int64
			PublishedKey
		}
		Newest *EnvelopeHead

		IsAboveRefused, IsForgotten, IsPassed, IsByFormer bool
		Others                                            []OtherHead
		Head                                              EnvelopeHead
		Outdated                                          []string
	}
	for _, vector := range readVectors[[]envelopeVector](t, "envelopes.json") {
		file, err := base64.StdEncoding.DecodeString(vector.Envelope)
		if err != nil {
			t.Fatal(err)
		}
		keyLog := append([]Head{}, vector.KeyLog...)
		var published map[int64]PublishedKey
		if vector.Published != nil {
			published = map[int64]PublishedKey{}
		}
		for _, key := range vector.Published {
			published[key.Version] = key.PublishedKey
		}
		expected := Expected{vector.FormID, vector.FirstVersion, vector.Revision, lists[vector.List], keyLog, published, vector.Newest, vector.Others, vector.IsAboveRefused, vector.IsForgotten, vector.IsPassed, 0}
		opened, err := Open(file, identityOf(t, people[vector.Reader].Identity), expected)
		if got := outcomeOf(err, "opened"); got != vector.Outcome {
			t.Errorf("%s: %s, not %s", vector.Name, got, vector.Outcome)
		}
		if opened != nil && (!reflect.DeepEqual(opened.Head, vector.Head) || !slices.Equal(opened.Outdated, vector.Outdated) || opened.IsByFormer != vector.IsByFormer) {
			t.Errorf("%s: %+v %v", vector.Name, opened.Head, opened.Outdated)
		}
	}
}

// nameOf is who has this id in the vectors.
func nameOf(id string) string {
	return map[string]string{"a1": "owner", "b1": "manager", "c1": "reader", "f1": "recovery"}[id[len(id)-2:]]
}

type personalKey struct{ Identity, Recipient, SigningSeed string }

// createEnvelope writes an envelope of so many key versions for the readers of this content.
func createEnvelope(t *testing.T, content Content, keys int, people map[string]personalKey) []byte {
	t.Helper()
	first := content.Keys[0]
	content.Keys = nil
	for version := 1; version <= keys; version++ {
		key := first
		key.Version = content.FirstVersion - 1 + int64(version)
		content.Keys = append(content.Keys, key)
	}
	line, _ := json.Marshal(content)
	seed, _ := base64.RawURLEncoding.DecodeString(people[nameOf(content.SignedBy)].SigningSeed)
	signature := ed25519.Sign(ed25519.NewKeyFromSeed(seed), append([]byte(envelopeFormat+"\n"), line...))
	var recipients []age.Recipient
	for _, reader := range content.Readers {
		recipient, err := age.ParseHybridRecipient(people[nameOf(reader.ID)].Recipient)
		if err != nil {
			t.Fatal(err)
		}
		recipients = append(recipients, recipient)
	}
	var file bytes.Buffer
	writer, err := age.Encrypt(&file, recipients...)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(writer, "%s\n{\"signature\":\"%s\"}\n", line, base64.RawURLEncoding.EncodeToString(signature))
	writer.Close()
	return file.Bytes()
}

func TestEveryRefusalHasASentence(t *testing.T) {
	for refusal, sentence := range sentences {
		if sentence == "" || !strings.HasSuffix(refusal.Error(), sentence) {
			t.Error(refusal)
		}
	}
	if len(sentences) != 20 {
		t.Error(len(sentences))
	}
}

// askedIdentity notes that it was asked for a file's key, which it has not.
type askedIdentity struct{ isAsked bool }

func (identity *askedIdentity) Unwrap([]*age.Stanza) ([]byte, error) {
	identity.isAsked = true
	return nil, age.ErrIncorrectIdentity
}

func TestMoreBytesThanAnEnvelopeOrAListMayHaveAreRefused(t *testing.T) {
	envelope, _ := base64.StdEncoding.DecodeString(readVectors[[]struct{ Envelope string }](t, "envelopes.json")[0].Envelope)
	for size, isAsked := range map[int]bool{fileBytesMax: true, fileBytesMax + 1: false} {
		asked := &askedIdentity{}
		_, err := Open(append(bytes.Clone(envelope), make([]byte, size-len(envelope))...), asked, Expected{})
		if asked.isAsked != isAsked || isAsked != (err == NotAReader) || !isAsked && err != Malformed {
			t.Errorf("%d bytes: %v, asked: %t", size, err, asked.isAsked)
		}
	}
	long := strings.Repeat("a", lineBytesMax+1)
	large := strings.Repeat("a", listBytesMax)
	for _, text := range []string{strings.Repeat("{}\n", 2*entriesMax+2), long + "\n{}\n", "{}\n" + large + "\n"} {
		// Before the head is looked at, which none of them has.
		if _, err := VerifyList([]byte(text), nil, "", Trust{Head: &Head{1, "none"}}); err != Malformed {
			t.Error(err)
		}
	}
}

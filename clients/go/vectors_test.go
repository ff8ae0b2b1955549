package sealpost

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// readVectors reads one of the files that hold every implementation to the specification.
func readVectors[T any](t testing.TB, name string) T {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "packages", "wire", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	var vectors T
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	return vectors
}

type openingVector struct {
	Name         string
	FormID       string `json:"formId"`
	KeyVersion   int
	SubmissionID string `json:"submissionId"`
	Keys         []struct {
		Name, FormID string
		KeyVersion   int
	}
	Payload             Payload
	ExpectedFingerprint string
	Outcome             string
	Plaintext           *string
	Fields              json.RawMessage
	// Text is that of Fields, with the digits that were sealed, where languages write others.
	Text     string
	Sealpost json.RawMessage
	// Typed is there where a page's sealer seals other names than its visitor typed.
	Typed json.RawMessage
}

func (vector openingVector) sealed() Sealed {
	binding := Binding{vector.FormID, vector.KeyVersion, vector.SubmissionID}
	return Sealed{Binding: binding, Payload: vector.Payload, ExpectedFingerprint: vector.ExpectedFingerprint}
}

type vectorKey struct {
	Fingerprint string
	PublicKey   PublicKey
	PrivateKey  json.RawMessage
}

func vectorKeys(t testing.TB) map[string]vectorKey {
	keys := readVectors[map[string]vectorKey](t, "keys.json")
	for name, key := range readVectors[map[string]vectorKey](t, "hybrid-keys.json") {
		keys[name] = key
	}
	return keys
}

func openingKeys(t testing.TB, all map[string]vectorKey, vector openingVector) []*OpeningKey {
	var keys []*OpeningKey
	for _, label := range vector.Keys {
		key, err := ParseOpeningKey(all[label.Name].PrivateKey)
		if err != nil {
			t.Fatal(label.Name, err)
		}
		key.FormID, key.KeyVersion = label.FormID, label.KeyVersion
		keys = append(keys, key)
	}
	return keys
}

var openingFiles = []string{"good.json", "hostile.json", "foreign.json", "hybrid.json"}

var outcomes = map[string]error{
	"opened":              nil,
	"unknown_version":     ErrUnknownVersion,
	"no_key":              ErrNoKey,
	"could_not_be_opened": ErrCouldNotBeOpened,
}

func TestEveryPayloadHasTheOutcomeAndTheFieldsOfItsVector(t *testing.T) {
	all := vectorKeys(t)
	// Go's strings hold no halves of surrogate pairs; the specification has U+FFFD in their place.
	halves := regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)
	for _, file := range openingFiles {
		for _, vector := range readVectors[[]openingVector](t, file) {
			t.Run(vector.Name, func(t *testing.T) {
				fields, sealpost, err := OpenAlong(vector.sealed(), openingKeys(t, all, vector))
				expected, known := outcomes[vector.Outcome]
				// The very same error, without a wrapper that could say more.
				if !known || err != expected {
					t.Fatalf("got %v, want %s", err, vector.Outcome)
				}
				if err != nil {
					if fields != nil {
						t.Fatal("fields came with an error")
					}
					return
				}
				text := []byte(vector.Fields)
				if vector.Plaintext != nil {
					text = []byte(*vector.Plaintext)
				}
				if vector.Text != "" {
					text = []byte(vector.Text)
				}
				if vector.Name == "lone surrogates" {
					text = halves.ReplaceAll(text, []byte(`\ufffd`))
				}
				want, err := parseObject(text)
				if err != nil || !reflect.DeepEqual(map[string]any(fields), want) {
					t.Fatalf("got %v, want %v", fields, want)
				}
				if (sealpost == nil) != (vector.Sealpost == nil) {
					t.Fatalf("sealed along: %v, want %s", sealpost, vector.Sealpost)
				}
				if written, err := json.Marshal(sealpost); sealpost != nil && (err != nil || string(written) != compact(t, vector.Sealpost)) {
					t.Fatalf("sealed along: %s, want %s", written, vector.Sealpost)
				}
				// json.Number keeps the text of each number, so what is written down has the digits that were sealed.
				if written, err := encodeJSON(fields); err != nil || !reflect.DeepEqual(numbersIn(t, written), numbersIn(t, text)) {
					t.Fatalf("%s: other digits than were sealed", written)
				}
			})
		}
	}
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var compacted bytes.Buffer
	if err := json.Compact(&compacted, text); err != nil {
		t.Fatal(err)
	}
	return compacted.String()
}

// numbersIn gives the numbers of a JSON text as they are written, sorted: encoding/json sorts the names of an object.
func numbersIn(t *testing.T, text []byte) []string {
	t.Helper()
	var numbers []string
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			slices.Sort(numbers)
			return numbers
		}
		if err != nil {
			t.Fatal(err)
		}
		if number, ok := token.(json.Number); ok {
			numbers = append(numbers, number.String())
		}
	}
}

func TestAProgramSealsNoNameOfOurs(t *testing.T) {
	key := vectorKeys(t)["first"].PublicKey
	file := FileKey{FormID: "form", FileID: NewID(KindFile, time.Now()), Key: make([]byte, 32), Size: 1}
	for _, fields := range []Fields{
		{"$sealpost": map[string]any{}},
		{"a": 1, "$$sealpost2": "b"},
		{"a": map[string]any{"$file": "b"}},
		{"a": []any{map[string]any{"$oid": 1}}},
		{"a": struct{ B any }{map[string]any{"$": nil}}},
		{"a": map[string]any{"$file": map[string]any{"id": "fil_1", "format": "spf1"}}},
	} {
		if _, err := Seal(fields, Binding{}, key); err == nil {
			t.Errorf("%v was sealed", fields)
		}
	}
	for _, vector := range readVectors[[]openingVector](t, "good.json") {
		object, err := parseObject([]byte(*vector.Plaintext))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Seal(object, Binding{}, key); (err != nil) != (vector.Typed != nil) {
			t.Errorf("%s: %v", vector.Name, err)
		}
	}
	fields := Fields{"$price": 1, "a": map[string]any{"$b": 1, "$c": 2}, "photos": []any{file.Field("a.jpg", "image/jpeg")}}
	for _, fields := range []Fields{fields, {"$price": "1"}, {"$file": "a"}} {
		if _, err := Seal(fields, Binding{}, key); err != nil {
			t.Error(err)
		}
	}
}

func TestDepthIsCountedOverTheText(t *testing.T) {
	repeat := strings.Repeat
	for _, text := range []string{
		repeat("[", 65), repeat(`{"a":`, 65), `{"a":"\\","b":` + repeat("[", 64), `{"a":` + repeat("[", 64) + repeat("]", 64) + `,"a":1}`,
	} {
		if !isTooDeep([]byte(text)) {
			t.Errorf("%s is not too deep", text)
		}
	}
	for _, text := range []string{repeat("[", 64), `["` + repeat("[", 99) + `"]`, `{"a":"\"` + repeat("[", 99) + `\\"}`, repeat("[]", 99)} {
		if isTooDeep([]byte(text)) {
			t.Errorf("%s is too deep", text)
		}
	}
}

func TestNoBitOfAPayloadCanBeChangedAndNoMemberBeThatOfAnother(t *testing.T) {
	all := vectorKeys(t)
	for _, file := range []string{"good.json", "hybrid.json"} {
		vectors := readVectors[[]openingVector](t, file)
		sealed, keys := vectors[0].sealed(), openingKeys(t, all, vectors[0])
		draw := rand.New(rand.NewPCG(1, 2))
		for member, text := range map[string]string{"data": sealed.Payload.Data, "key": sealed.Payload.Key, "iv": sealed.Payload.IV} {
			bytes, _ := decodeBase64(text)
			bits := []int{0, 255, 256, len(bytes)*8 - 1}
			for range 40 {
				bits = append(bits, draw.IntN(len(bytes)*8))
			}
			for _, bit := range bits {
				changed := slices.Clone(bytes)
				changed[bit/8%len(bytes)] ^= 0x80 >> (bit % 8)
				if _, err := Open(withMember(sealed, member, encodeBase64(changed)), keys); err != ErrCouldNotBeOpened {
					t.Errorf("%s: bit %d of %s: %v", file, bit, member, err)
				}
			}
			for _, other := range vectors[1:4] {
				theirs := map[string]string{"data": other.sealed().Payload.Data, "key": other.sealed().Payload.Key, "iv": other.sealed().Payload.IV}
				if _, err := Open(withMember(sealed, member, theirs[member]), keys); err != ErrCouldNotBeOpened {
					t.Errorf("%s: %s of %s: %v", file, member, other.Name, err)
				}
			}
		}
	}
}

func withMember(sealed Sealed, member, text string) Sealed {
	switch member {
	case "data":
		sealed.Payload.Data = text
	case "key":
		sealed.Payload.Key = text
	case "iv":
		sealed.Payload.IV = text
	}
	return sealed
}

func TestWhatIsSealedIsWhatTheVectorsHold(t *testing.T) {
	all := vectorKeys(t)
	for _, vector := range append(readVectors[[]openingVector](t, "good.json"), readVectors[[]openingVector](t, "hybrid.json")...) {
		if vector.Plaintext == nil || vector.Name == "lone surrogates" {
			continue
		}
		public := all[vector.Keys[len(vector.Keys)-1].Name].PublicKey
		for _, label := range vector.Keys {
			if all[label.Name].Fingerprint == vector.ExpectedFingerprint {
				public = all[label.Name].PublicKey
			}
		}
		if vector.Payload.Version == VersionHybrid && public.Kty != kindHybrid {
			public = all["hybrid first"].PublicKey
		}
		contentKey := sha256.Sum256([]byte("Sealpost vector: content key: " + vector.Name))
		iv := sha256.Sum256([]byte("Sealpost vector: iv: " + vector.Name))
		binding := vector.sealed().Binding
		payload, err := sealPlaintext([]byte(*vector.Plaintext), binding, public, contentKey[:], iv[:12])
		if err != nil || payload.Data != vector.Payload.Data || payload.IV != vector.Payload.IV || payload.Version != vector.Payload.Version {
			t.Errorf("%s: sealed to other bytes, or not: %v", vector.Name, err)
		}
		sealed := vector.sealed()
		sealed.Payload = payload
		if _, err := Open(sealed, openingKeys(t, all, vector)); err != nil {
			t.Errorf("%s: what was sealed does not open: %v", vector.Name, err)
		}
	}
}

func TestEveryKeyHasItsFingerprint(t *testing.T) {
	for name, key := range vectorKeys(t) {
		opening, err := ParseOpeningKey(key.PrivateKey)
		if err != nil {
			t.Fatal(name, err)
		}
		if opening.Fingerprint() != key.Fingerprint || key.PublicKey.Fingerprint() != key.Fingerprint {
			t.Errorf("%s has another fingerprint", name)
		}
	}
}

func TestKeyFilesAreTakenAndRefused(t *testing.T) {
	for _, vector := range readVectors[[]struct{ Name, File, Outcome, Fingerprint string }](t, "key-files.json") {
		key, err := ParseOpeningKey([]byte(vector.File))
		outcome := "refused"
		switch {
		case err == nil:
			outcome = "taken"
		case strings.Contains(err.Error(), "newer format"):
			outcome = "newer_format"
		}
		if outcome != vector.Outcome {
			t.Errorf("%s: %s, want %s: %v", vector.Name, outcome, vector.Outcome, err)
		}
		if err == nil && key.Fingerprint() != vector.Fingerprint {
			t.Errorf("%s: another key", vector.Name)
		}
	}
}

func TestPublicKeysAreTakenAndRefused(t *testing.T) {
	vectors := readVectors[struct {
		Accepted, Refused []struct {
			Name, Fingerprint string
			PublicKey         json.RawMessage
		}
	}](t, "public-keys.json")
	for _, vector := range vectors.Accepted {
		key, err := ParsePublicKey(vector.PublicKey)
		if err != nil || key.Fingerprint() != vector.Fingerprint {
			t.Errorf("%s: %v", vector.Name, err)
		}
	}
	for _, vector := range vectors.Refused {
		if _, err := ParsePublicKey(vector.PublicKey); err == nil {
			t.Errorf("%s was taken", vector.Name)
		}
	}
}

func TestIDsAreWrittenTakenAndRefused(t *testing.T) {
	kinds := map[string]IDKind{
		"form": KindForm, "submission": KindSubmission, "api_key": KindAPIKey, "apiKey": KindAPIKey, "delivery": KindDelivery,
		"event": KindEvent, "account": KindAccount, "file": KindFile,
	}
	vectors := readVectors[struct {
		Accepted []struct {
			Kind, UUID, ID string
			Milliseconds   int64
		}
		Refused []struct{ Name, Kind, Text string }
	}](t, "ids.json")
	for _, vector := range vectors.Accepted {
		kind, known := kinds[vector.Kind]
		uuid, err := hex.DecodeString(strings.ReplaceAll(vector.UUID, "-", ""))
		if err != nil || !known || encodeID(kind, [16]byte(uuid)) != vector.ID || !IsID(kind, vector.ID) {
			t.Errorf("%s (%s)", vector.ID, vector.Kind)
		}
		made := NewID(kind, Milliseconds(vector.Milliseconds).Time())
		if !IsID(kind, made) || made[:len(made)-16] != vector.ID[:len(vector.ID)-16] {
			t.Errorf("%s was made in the moment of %s", made, vector.ID)
		}
	}
	for _, vector := range vectors.Refused {
		if IsID(kinds[vector.Kind], vector.Text) {
			t.Errorf("%s was taken", vector.Name)
		}
	}
}

func TestEverySizeHasItsPaddedSize(t *testing.T) {
	for _, vector := range readVectors[[]struct{ Size, Padded int64 }](t, "padding.json") {
		if padded := paddedSize(vector.Size); padded != vector.Padded {
			t.Errorf("%d: %d, want %d", vector.Size, padded, vector.Padded)
		}
	}
}

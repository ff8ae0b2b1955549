package envelope

import (
	"bytes"
	"strings"
	"testing"

	"filippo.io/age"
)

// What the formats of this package take of two lines: SPECIFICATION.md section 10 says in whose place they are.
func TestNothingOfOneSignedObjectIsTakenInAnother(t *testing.T) {
	people := readVectors[map[string]struct{ Identity, Recipient, SigningKey string }](t, "personal-keys.json")
	var founder *List
	for _, vector := range readVectors[[]listVector](t, "signed-lists.json") {
		if vector.Name == "the founder alone" {
			founder, _ = vector.verify()
		}
	}
	takes := map[string]func(lines []byte, key string) error{
		listFormat: func(lines []byte, key string) error {
			_, err := VerifyList(lines, nil, founder.OrganizationID, Trust{SigningKey: people[key].SigningKey})
			return err
		},
		envelopeFormat: func(lines []byte, key string) error {
			var file bytes.Buffer
			recipient, err := age.ParseHybridRecipient(people[key].Recipient)
			if err != nil {
				t.Fatal(err)
			}
			writer, err := age.Encrypt(&file, recipient)
			if err != nil {
				t.Fatal(err)
			}
			writer.Write(lines)
			writer.Close()
			expected := Expected{FormID: "form_01hk153x00e5rbcwg8rxcnh8w4", FirstVersion: 1, Revision: 1, List: founder, KeyLog: []Head{}}
			_, err = Open(file.Bytes(), identityOf(t, people[key].Identity), expected)
			return err
		},
		keyLogFormat: func(lines []byte, _ string) error {
			_, err := VerifyKeyLog(lines, "form_01hk153x00e5rbcwg8rxcnh8w0", nil)
			return err
		},
	}
	tried := map[string]int{}
	for _, vector := range readVectors[[]struct{ Name, Label, Lines, SignWith, Outcome string }](t, "swaps.json") {
		take := takes[vector.Label]
		if take == nil {
			continue
		}
		tried[vector.Label]++
		if got := outcomeOf(take([]byte(vector.Lines), vector.SignWith), "taken"); got != vector.Outcome {
			t.Errorf("%s: %s: %s, not %s", strings.TrimPrefix(vector.Label, "sealpost-"), vector.Name, got, vector.Outcome)
		}
	}
	if len(tried) != len(takes) {
		t.Error(tried)
	}
}

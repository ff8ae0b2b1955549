package envelope

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"filippo.io/age"
)

// What drafts wrote, and what later versions may: a sentence, never a panic, and nothing is taken.
func TestWhatOtherVersionsOfAFormatWroteIsMalformed(t *testing.T) {
	people := readVectors[map[string]struct{ Identity, Recipient, SigningKey string }](t, "personal-keys.json")
	owner := people["owner"]
	var founded *List
	for _, vector := range readVectors[[]listVector](t, "signed-lists.json") {
		if vector.Name == "the founder alone" {
			founded, _ = vector.verify()
		}
	}
	take := func(label, lines string) error {
		var content struct{ OrganizationID, FormID string }
		line, _, _ := strings.Cut(lines, "\n")
		json.Unmarshal([]byte(line), &content)
		switch label {
		case listFormat:
			_, err := VerifyList([]byte(lines), nil, founded.OrganizationID, Trust{nil, owner.SigningKey})
			return err
		case keyLogFormat:
			_, err := VerifyKeyLog([]byte(lines), content.FormID, nil)
			return err
		}
		recipient, err := age.ParseHybridRecipient(owner.Recipient)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		writer, err := age.Encrypt(&file, recipient)
		if err != nil {
			t.Fatal(err)
		}
		writer.Write([]byte(lines))
		writer.Close()
		_, err = Open(file.Bytes(), identityOf(t, owner.Identity), Expected{FormID: content.FormID, FirstVersion: 1, Revision: 1, List: founded})
		return err
	}
	honest := 0
	for _, vector := range readVectors[[]struct{ Name, Label, Lines string }](t, "drafts.json") {
		err := take(vector.Label, vector.Lines)
		if strings.HasSuffix(vector.Name, ": of today") {
			honest++
			if err != nil {
				t.Errorf("%s: %v", vector.Name, err)
			}
		} else if err != Malformed {
			t.Errorf("%s: %v", vector.Name, err)
		}
	}
	if honest != 3 {
		t.Error(honest)
	}
}

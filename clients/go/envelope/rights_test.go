package envelope

import (
	"crypto/ed25519"
	"encoding/base64"
	"fmt"
	"testing"
)

// Section 14's table of roles, as each change by each role about each member: SPECIFICATION.md section 10 says how an entry is made of a case.
func TestEachChangeBySignerAndMemberIsTakenOrRefusedAsTheTableOfRolesSays(t *testing.T) {
	vectors := readVectors[struct {
		OrganizationID, List, WrittenAt string
		Changes                         map[string]string
		Cases                           []struct{ Change, SignedBy, SignWith, Outcome string }
	}](t, "list-rights.json")
	people := readVectors[map[string]struct{ SigningSeed, SigningKey string }](t, "personal-keys.json")
	list, err := VerifyList([]byte(vectors.List), nil, vectors.OrganizationID, Trust{SigningKey: people["owner"].SigningKey})
	if err != nil {
		t.Fatal(err)
	}
	outcomes := map[string]int{}
	for _, vector := range vectors.Cases {
		seed, err := base64.RawURLEncoding.DecodeString(people[vector.SignWith].SigningSeed)
		if err != nil || len(seed) != ed25519.SeedSize {
			t.Fatal(vector.SignWith, err)
		}
		line := fmt.Appendf(nil, `{"format":%q,"organizationId":%q,"number":%d,"previous":%q,"writtenAt":%q,"signedBy":%q,%s,"extensions":{},"critical":[]}`,
			listFormat, vectors.OrganizationID, list.Head.Number+1, list.Head.Hash, vectors.WrittenAt, vector.SignedBy, vectors.Changes[vector.Change])
		signature := ed25519.Sign(ed25519.NewKeyFromSeed(seed), append([]byte(listFormat+"\n"), line...))
		signed := signedLine{line, fmt.Appendf(nil, `{"signature":%q}`, base64.RawURLEncoding.EncodeToString(signature))}
		got := outcomeOf(list.clone().take(signed), "verified")
		if got != vector.Outcome {
			t.Errorf("%s: %s: %s, not %s", vector.SignWith, vector.Change, got, vector.Outcome)
		}
		outcomes[got]++
	}
	if len(outcomes) != 3 {
		t.Error(outcomes)
	}
}

package envelope

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// A list that is full of notes and removals: SPECIFICATION.md section 10 says how it is made.
func TestEachEntryAtItsPlaceIsTakenOrRefusedAsItsVectorSays(t *testing.T) {
	vectors := readVectors[struct {
		OrganizationID, List, SignedBy, WrittenAt string
		Removed                                   []string
		Cases                                     []struct {
			Name, Entry, Outcome string
			Place                int
		}
	}](t, "list-places.json")
	people := readVectors[map[string]struct{ SigningSeed, SigningKey string }](t, "personal-keys.json")
	owner := people["owner"]
	seed, _ := base64.RawURLEncoding.DecodeString(owner.SigningSeed)
	key := ed25519.NewKeyFromSeed(seed)
	list, err := VerifyList([]byte(vectors.List), nil, vectors.OrganizationID, Trust{SigningKey: owner.SigningKey})
	if err != nil {
		t.Fatal(err)
	}
	signer := vectors.SignedBy
	for number := len(list.entries) + 1; ; number++ {
		for _, vector := range vectors.Cases {
			if vector.Place != number {
				continue
			}
			lines := strings.Split(vector.Entry, "\n")
			one, ok := signedLine{[]byte(lines[0]), []byte(lines[1])}.parse()
			if !ok {
				t.Fatal(vector.Name)
			}
			_, err := list.check(one, place{isFirstOfPart: one.change.kind == "begin"})
			if got := outcomeOf(err, "verified"); got != vector.Outcome {
				t.Errorf("%s: %s, not %s", vector.Name, got, vector.Outcome)
			}
		}
		if number > entriesMax {
			return
		}
		change, member := "note", ""
		if number > ownerPlaces {
			gone := vectors.Removed[number-ownerPlaces-1]
			change, member = "remove", fmt.Sprintf(`"member":{"id":%q},`, gone)
		}
		line := fmt.Sprintf(`{"format":%q,"organizationId":%q,"number":%d,"previous":%q,"writtenAt":%q,"signedBy":%q,"change":%q,"admission":null,%s"extensions":{},"critical":[]}`,
			listFormat, vectors.OrganizationID, number, list.Head.Hash, vectors.WrittenAt, signer, change, member)
		signature := ed25519.Sign(key, []byte(listFormat+"\n"+line))
		one, ok := signedLine{[]byte(line), fmt.Appendf(nil, `{"signature":"%s"}`, base64.RawURLEncoding.EncodeToString(signature))}.parse()
		if !ok {
			t.Fatal(line)
		}
		if _, err := list.check(one, place{isFirstOfPart: one.change.kind == "begin"}); err != nil {
			t.Fatal(number, err)
		}
		list.add(one)
	}
}

func idOfRole(list *List, role string) string {
	for id, member := range list.Members {
		if member.Role == role {
			return id
		}
	}
	return ""
}

func TestThereIsAPlaceFor2048MembersAndNoneForOneMore(t *testing.T) {
	var program Member
	for _, vector := range readVectors[[]listVector](t, "signed-lists.json") {
		if vector.Name == "a council" {
			list, err := vector.verify()
			if err != nil {
				t.Fatal(err)
			}
			list.entries = list.entries[:1]
			for id, member := range list.Members {
				if member.Role == "program" {
					program = member
					delete(list.Members, id)
				}
			}
			signer := list.Members[idOfRole(list, "owner")]
			for count, want := range map[int]bool{membersMax - 1: true, membersMax: false} {
				crowd := maps.Clone(list.Members)
				for index := len(crowd); index < count; index++ {
					crowd[fmt.Sprint(index)] = Member{Role: "reader", Recipient: fmt.Sprint(index)}
				}
				full := &List{Members: crowd, entries: list.entries}
				if full.allows(signer, change{kind: "add", id: program.ID, member: &program}) != want {
					t.Error(count)
				}
			}
		}
	}
	if text, _ := json.Marshal(program); program.ID == "" {
		t.Error(string(text))
	}
}

func TestThePartsOfEachListAreVerifiedOrRefusedAsTheirVectorSays(t *testing.T) {
	vectors := readVectors[struct {
		Texts   map[string]string
		Vectors []struct {
			listVector
			First int64
			Parts []string
		}
	}](t, "list-parts.json")
	for _, vector := range vectors.Vectors {
		parts := Parts{First: vector.First}
		for _, name := range vector.Parts {
			parts.Texts = append(parts.Texts, []byte(vectors.Texts[name]))
		}
		list, err := VerifyParts(parts, nil, vector.OrganizationID, Trust{vector.Trust.Head, vector.Trust.SigningKey})
		if got := outcomeOf(err, "verified"); got != vector.Outcome {
			t.Errorf("%s: %s, not %s", vector.Name, got, vector.Outcome)
		}
		if list == nil {
			continue
		}
		slices.Sort(vector.Members)
		if ids := slices.Sorted(maps.Keys(list.Members)); list.Head != vector.Head || !slices.Equal(ids, vector.Members) {
			t.Errorf("%s: %v %v", vector.Name, list.Head, ids)
		}
		if members, ok := list.membersAt(list.Head); !ok || !reflect.DeepEqual(members, list.Members) {
			t.Error(vector.Name)
		}
	}
}

func TestWhoIsVouchedForIsAsTheVectorSays(t *testing.T) {
	people := readVectors[map[string]struct{ Recipient, SigningKey string }](t, "personal-keys.json")
	vectors := readVectors[[]struct {
		listVector
		First   int64
		Parts   []string
		Own     *string
		Edges   map[string]*Edges
		Vouched []string
	}](t, "list-vouching.json")
	for _, vector := range vectors {
		parts := Parts{First: vector.First}
		for _, text := range vector.Parts {
			parts.Texts = append(parts.Texts, []byte(text))
		}
		list, err := VerifyParts(parts, nil, vector.OrganizationID, Trust{SigningKey: vector.Trust.SigningKey})
		if err != nil {
			t.Fatal(vector.Name, err)
		}
		if edges := list.Edges(); !reflect.DeepEqual(edges, vector.Edges) {
			text, _ := json.Marshal(edges)
			t.Errorf("%s: %s", vector.Name, text)
		}
		own := people[""]
		if vector.Own != nil {
			own = people[*vector.Own]
		}
		if vouched := slices.Sorted(maps.Keys(list.Vouched(own.Recipient, own.SigningKey))); !slices.Equal(vouched, vector.Vouched) {
			t.Errorf("%s: %v", vector.Name, vouched)
		}
	}
}

func TestAProgramVouchesForItselfOnItsOwnDevice(t *testing.T) {
	vectors := readVectors[[]struct {
		listVector
		First int64
		Parts []string
	}](t, "list-vouching.json")
	count := 0
	for _, vector := range vectors {
		parts := Parts{First: vector.First}
		for _, text := range vector.Parts {
			parts.Texts = append(parts.Texts, []byte(text))
		}
		list, err := VerifyParts(parts, nil, vector.OrganizationID, Trust{SigningKey: vector.Trust.SigningKey})
		if err != nil {
			t.Fatal(vector.Name, err)
		}
		for id, member := range list.Members {
			if member.SigningKey != nil {
				continue
			}
			count++
			if !list.Vouched(member.Recipient, "")[id] {
				t.Errorf("%s: %s", vector.Name, member.ID)
			}
		}
	}
	if count == 0 {
		t.Error("no vector has a program")
	}
}

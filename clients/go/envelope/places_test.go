package envelope

import (
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// filler writes entries after a list, all of them of one kind.
type filler struct {
	list       *List
	signedBy   string
	signingKey ed25519.PrivateKey
	writtenAt  string
	// change has the members of an entry from `change` to the last one before the extensions.
	change string
}

func newFiller(t *testing.T, list *List, signedBy, seed, writtenAt, change string) filler {
	t.Helper()
	bytes, err := base64.RawURLEncoding.DecodeString(seed)
	if err != nil {
		t.Fatal(err)
	}
	return filler{list, signedBy, ed25519.NewKeyFromSeed(bytes), writtenAt, change}
}

// next gives one more entry, which is taken without its signature being looked at.
func (one filler) next(t *testing.T) signedLine {
	t.Helper()
	line := fmt.Appendf(nil, `{"format":%q,"organizationId":%q,"number":%d,"previous":%q,"writtenAt":%q,"signedBy":%q,%s,"extensions":{},"critical":[]}`,
		listFormat, one.list.OrganizationID, one.list.Head.Number+1, one.list.Head.Hash, one.writtenAt, one.signedBy, strings.ReplaceAll(one.change, "{before}", strconv.FormatInt(one.list.Head.Number, 10)))
	signature := ed25519.Sign(one.signingKey, append([]byte(listFormat+"\n"), line...))
	signed := signedLine{line, fmt.Appendf(nil, `{"signature":"%s"}`, base64.RawURLEncoding.EncodeToString(signature))}
	if err := one.list.take(signed); err != nil {
		t.Fatal(one.list.Head.Number+1, err)
	}
	return signed
}

// take adds an entry to a list, or says why not.
func (list *List) take(signed signedLine) error {
	one, ok := signed.parse()
	if !ok {
		return Malformed
	}
	signer, err := list.check(one)
	if err == nil {
		list.add(one, signer)
	}
	return err
}

func (list *List) clone() *List {
	copied := *list
	copied.Members, copied.used, copied.entries = maps.Clone(list.Members), maps.Clone(list.used), slices.Clone(list.entries)
	copied.changed = maps.Clone(list.changed)
	return &copied
}

// A list that is full of what a manager writes: SPECIFICATION.md section 10 says how it is made.
func TestEachEntryAtItsPlaceIsTakenOrRefusedAsItsVectorSays(t *testing.T) {
	vectors := readVectors[struct {
		OrganizationID, List, SignedBy, WrittenAt, Vouched string
		Cases                                              []struct {
			Name, Outcome string
			Entries       []string
			Place         int
		}
	}](t, "list-places.json")
	people := readVectors[map[string]struct{ SigningSeed, SigningKey string }](t, "personal-keys.json")
	list, err := VerifyList([]byte(vectors.List), nil, vectors.OrganizationID, Trust{SigningKey: people["owner"].SigningKey})
	if err != nil || list.place != 1 {
		t.Fatal(err)
	}
	change := fmt.Sprintf(`"change":"vouch","admission":null,"members":[%q],"shown":{before}`, vectors.Vouched)
	filling := newFiller(t, list, vectors.SignedBy, people["manager"].SigningSeed, vectors.WrittenAt, change)
	tried := 0
	for {
		for _, vector := range vectors.Cases {
			if vector.Place != list.place+1 {
				continue
			}
			tried++
			continued, err := list.clone(), error(nil)
			for index, text := range vector.Entries {
				lines := strings.Split(text, "\n")
				err = continued.take(signedLine{[]byte(lines[0]), []byte(lines[1])})
				if err != nil && index+1 < len(vector.Entries) {
					t.Fatal(vector.Name, err)
				}
			}
			if got := outcomeOf(err, "verified"); got != vector.Outcome {
				t.Errorf("%s: %s, not %s", vector.Name, got, vector.Outcome)
			}
		}
		if list.place == placesMax {
			break
		}
		filling.next(t)
	}
	if tried != len(vectors.Cases) || tried == 0 {
		t.Error(tried)
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

func TestWhoIsVouchedForIsAsTheVectorSays(t *testing.T) {
	people := readVectors[map[string]struct{ Recipient, SigningKey string }](t, "personal-keys.json")
	vectors := readVectors[[]struct {
		listVector
		Own     *string
		Edges   map[string]*Edges
		Vouched []string
	}](t, "list-vouching.json")
	for _, vector := range vectors {
		list, err := vector.verify()
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
	vectors := readVectors[[]listVector](t, "list-vouching.json")
	count := 0
	for _, vector := range vectors {
		list, err := vector.verify()
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

package envelope

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// playedService is a service in bad hands: it shows what a test says.
type playedService struct {
	names     []byte
	list      []byte
	pages     map[int64][]byte // the earlier ones, by the number of their last entry
	files     map[int64][]byte
	older     map[int64][]byte // revisions of the first envelope
	published map[int64]PublishedKey
	keyLog    []byte
	err       error
	asked     int
}

func (service *playedService) SignedListNames(context.Context) ([]byte, error) {
	return service.names, nil
}

func (service *playedService) SignedList(context.Context) ([]byte, error) {
	service.asked++
	return service.list, service.err
}

func (service *playedService) SignedListPage(_ context.Context, entry int64) ([]byte, error) {
	service.asked++
	return service.pages[entry], service.err
}

func (service *playedService) EnvelopeRevisions(context.Context, string) (map[int64]int64, error) {
	service.asked++
	revisions := map[int64]int64{}
	for firstVersion, file := range service.files {
		number, _ := madeRevisions.LoadOrStore(hashOf(file), int64(1))
		revisions[firstVersion] = number.(int64)
	}
	return revisions, service.err
}

func (service *playedService) Envelope(_ context.Context, _ string, lowestVersion, revision int64) ([]byte, error) {
	service.asked++
	if file, ok := service.older[revision]; ok && lowestVersion == 1 {
		return file, service.err
	}
	if len(service.files[lowestVersion]) == 0 {
		return nil, service.err
	}
	return service.files[lowestVersion], service.err
}

func (service *playedService) KeyLog(context.Context, string) ([]byte, error) {
	service.asked++
	return service.keyLog, service.err
}

func (service *playedService) PublishedKeys(context.Context, string) (map[int64]PublishedKey, error) {
	service.asked++
	return service.published, service.err
}

// madeRevisions has the numbers of the revisions that tests have made, by the hashes of their bytes.
var madeRevisions sync.Map

// council is the list, the people and the first envelope of the vectors.
type council struct {
	text   []byte
	names  []byte
	list   *List
	people map[string]personalKey
	first  Content
	files  map[int][]byte
}

func readCouncil(t *testing.T) council {
	t.Helper()
	world := council{people: readVectors[map[string]personalKey](t, "personal-keys.json"), files: map[int][]byte{}}
	for _, vector := range readVectors[[]listVector](t, "signed-lists.json") {
		if vector.Name == "a council" {
			world.text = []byte(vector.List)
			world.list, _ = vector.verify()
		}
	}
	world.names = []byte(readVectors[nameVectors](t, "names.json").Council)
	vector := readVectors[[]struct{ Envelope, FormID string }](t, "envelopes.json")[0]
	file, _ := base64.StdEncoding.DecodeString(vector.Envelope)
	expected := Expected{FormID: vector.FormID, FirstVersion: 1, Revision: 1, List: world.list}
	opened, err := Open(file, identityOf(t, world.people["reader"].Identity), expected)
	if err != nil {
		t.Fatal(err)
	}
	world.first = opened.Content
	world.files[1] = file
	return world
}

// revise writes the next revision, of so many key versions.
func (world council) revise(t *testing.T, revision, keys int) []byte {
	t.Helper()
	content := world.first
	previous := hashOf(world.files[revision-1])
	content.Revision, content.Previous = int64(revision), &previous
	world.files[revision] = createEnvelope(t, content, keys, world.people)
	madeRevisions.Store(hashOf(world.files[revision]), int64(revision))
	return world.files[revision]
}

func (world council) service() *playedService {
	return &playedService{list: world.text, names: world.names, files: map[int64][]byte{1: world.files[1]}}
}

func (world council) reader(t *testing.T, service Source, heads Store, list string) *FormReader {
	t.Helper()
	identity := []byte("# of a program\n" + world.people["reader"].Identity + "\n")
	reader, err := NewFormReader(FormReaderOptions{service, identity, heads, list})
	if err != nil {
		t.Fatal(err)
	}
	return reader
}

func (world council) headText() string {
	return fmt.Sprintf("%d-%s", world.list.Head.Number, world.list.Head.Hash)
}

func headFileOf(t *testing.T) (Store, string) {
	path := filepath.Join(t.TempDir(), "reader.heads.json")
	return NewHeadFile(path), path
}

// leave adds the entry of a member who leaves, unsigned: their name is gone from the list, and not from its past.
func (list *List) leave(id string) {
	delete(list.Members, id)
	list.Head.Number++
	list.entries = append(list.entries, knownEntry{change{kind: "remove", id: id, signedBy: id}, list.Head.Hash})
}

func (list *List) letIn(id string, member Member, by string) {
	list.Members[id] = member
	list.Head.Number++
	list.entries = append(list.entries, knownEntry{change{kind: "add", id: id, member: &member, signedBy: by}, list.Head.Hash})
}

// reasonOf is the one problem there is, of the list or of the form's envelope.
func reasonOf(form *OpenedForm, err error) error {
	if err == nil && len(form.Refused) > 0 {
		return form.Refused[0].Err
	}
	return err
}

func TestAReaderWantsAHeadAtTheFirstUseAndRemembersFromThenOn(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, path := headFileOf(t)
	service, formID := world.service(), world.first.FormID
	other := "6-" + strings.Repeat("A", 43)
	for list, want := range map[string]error{"": NotTrusted, other: OtherList, "9" + other: OtherList} {
		if _, err := world.reader(t, service, heads, list).Open(ctx, formID); err != want {
			t.Errorf("%q: %v, not %v", list, err, want)
		}
	}
	form, err := world.reader(t, service, heads, world.headText()).Open(ctx, formID)
	if err != nil || len(form.Keys) != 1 || form.Envelopes[0].WrittenBy != "owner" || strings.Contains(fmt.Sprint(form), form.Keys[0].PrivateKey.D) {
		t.Fatal(form, err)
	}
	// Names that are hidden, or swapped, are missing: the form opens all the same.
	for _, names := range []string{"", strings.Replace(string(world.names), `"name":"owner"`, `"name":"manager"`, 1)} {
		service.names = []byte(names)
		again, err := world.reader(t, service, heads, " ").Open(ctx, formID)
		if err != nil || len(again.Keys) != 1 || again.Envelopes[0].WrittenBy != "" {
			t.Error(again, err)
		}
	}
	if _, err := world.reader(t, service, heads, other).Open(ctx, formID); err != Forked {
		t.Error(err)
	}
	kept, err := os.Stat(path)
	if err != nil || kept.Mode().Perm() != 0o600 {
		t.Error(kept.Mode(), err)
	}
	text, _ := os.ReadFile(path)
	// The command line and @sealpost/sdk read the same file.
	var content struct {
		Sealpost string
		Heads    map[string]json.RawMessage
	}
	if json.Unmarshal(text, &content) != nil || content.Sealpost != "heads" || strings.Contains(string(text), "SECRET") {
		t.Error(string(text))
	}
	names := []string{"form " + formID, "list " + world.list.OrganizationID, "organization", "organization of " + formID}
	if !slices.Equal(slices.Sorted(maps.Keys(content.Heads)), names) || string(content.Heads["organization"]) != `"`+world.list.OrganizationID+`"` {
		t.Error(string(text))
	}
}

func TestWhatAServiceHidesOrReplaysIsRefused(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, path := headFileOf(t)
	second, third := world.revise(t, 2, 2), world.revise(t, 3, 2)
	formID, service := world.first.FormID, world.service()
	reader := world.reader(t, service, heads, world.headText())
	for _, file := range [][]byte{world.files[1], second, third} {
		service.files[1] = file
		if form, err := reader.Open(ctx, formID); err != nil || len(form.Refused) > 0 {
			t.Fatal(form, err)
		}
	}
	lines := strings.SplitAfter(string(world.text), "\n")
	hidden := map[string]struct {
		change func(*playedService)
		want   error
	}{
		"no list":           {func(played *playedService) { played.list = nil }, HiddenList},
		"an older list":     {func(played *playedService) { played.list = []byte(strings.Join(lines[:len(lines)-3], "")) }, OldList},
		"no envelopes":      {func(played *playedService) { played.files = nil }, HiddenEnvelope},
		"no bytes":          {func(played *playedService) { played.files = map[int64][]byte{1: nil} }, HiddenEnvelope},
		"an older envelope": {func(played *playedService) { played.files = map[int64][]byte{1: second} }, OldRevision},
		"a damaged one":     {func(played *playedService) { played.files = map[int64][]byte{1: third[:len(third)-1]} }, Malformed},
	}
	for name, lie := range hidden {
		lying := &playedService{list: service.list, files: service.files}
		lie.change(lying)
		if form, err := world.reader(t, lying, heads, "").Open(ctx, formID); reasonOf(form, err) != lie.want || form != nil && len(form.Keys) > 0 {
			t.Errorf("%s: %v, not %v", name, reasonOf(form, err), lie.want)
		}
	}
	if form, err := reader.Open(ctx, formID); err != nil || len(form.Refused) > 0 {
		t.Error("it is honest again:", form, err)
	}
	if err := heads.Change(ownerName(formID), func(json.RawMessage) (json.RawMessage, error) {
		return []byte(`"acc_01hk153x00e5rbcwg8rxcnh8w4"`), nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Open(ctx, formID); err != MovedForm {
		t.Error(err)
	}
	if os.WriteFile(path, []byte("{"), 0o600) != nil {
		t.Fatal("not written")
	}
	if _, err := reader.Open(ctx, formID); !errors.Is(err, ErrHeadFile) {
		t.Error(err)
	}
}

func TestAnIdentityThatIsNobodysAndAFormWithoutEnvelopes(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service := world.service()
	for _, options := range []FormReaderOptions{
		{Heads: heads, Identity: []byte("AGE-SECRET-KEY-1")},
		{Source: service, Heads: heads, Identity: []byte("AGE-SECRET-KEY-1")},
		{Source: service, Heads: heads, Identity: []byte(world.people["reader"].Identity), List: "12"},
	} {
		if _, err := NewFormReader(options); err == nil || strings.Contains(err.Error(), "AGE-SECRET-KEY-1\n") {
			t.Error(err)
		}
	}
	stranger := world.people["stranger"]
	reader, err := NewFormReader(FormReaderOptions{service, []byte(stranger.Identity), heads, world.headText()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Open(ctx, world.first.FormID); err != NotListed {
		t.Error(err)
	}
	service.files = nil
	if form, err := world.reader(t, service, heads, "").Open(ctx, world.first.FormID); err != nil || form.List != nil || len(form.Envelopes) > 0 {
		t.Error(form, err)
	}
}

func TestNewKeysByAWriterWhoHasLeftAreNotUsed(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service, formID := world.service(), world.first.FormID
	reader := world.reader(t, service, heads, world.headText())
	form, err := reader.Open(ctx, formID)
	if err != nil || len(form.Refused) > 0 {
		t.Fatal(form, err)
	}
	known := []EnvelopeHead{form.Envelopes[0].Head}
	form.List.leave(world.first.SignedBy)
	if seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 1}, known); err != nil || !slices.Contains(seen.Outdated, world.first.SignedBy) {
		t.Error("the keys that were seen stay in use:", err)
	}
	reseeded := slices.Clone(known[0].Keys)
	reseeded[0].SeedHash = &known[0].Hash
	if hasKeys([]EnvelopeHead{{Keys: reseeded}}, known[0]) {
		t.Error("a key with another seed is a new one")
	}
	reseeded[0].SeedHash = nil
	if !hasKeys([]EnvelopeHead{{Keys: reseeded}}, known[0]) {
		t.Error("a key whose seed was not remembered was seen")
	}
	// What was remembered of it may be less than it has.
	nothing := []EnvelopeHead{known[0]}
	nothing[0].Keys = []SeenKey{}
	if err := revise(heads, formName(formID), func(formHeads) (formHeads, bool) { return formHeads{Heads: nothing}, true }); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 1}, nothing); err != nil {
		t.Error("a revision that was remembered is no new one:", err)
	}
	service.files[1] = world.revise(t, 2, 2)
	if seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 2}, known); seen != nil || err != FormerWriter {
		t.Error(err)
	}
}

func TestARevisionOfAFormerWriterIsNoGapForItsReaders(t *testing.T) {
	for _, isKept := range []bool{true, false} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID := world.service(), world.first.FormID
		reader := world.reader(t, service, heads, world.headText())
		form, err := reader.Open(ctx, formID)
		if err != nil || len(form.Refused) > 0 {
			t.Fatal(form, err)
		}
		known := []EnvelopeHead{form.Envelopes[0].Head}
		former, all := world.first.SignedBy, world.first.Readers
		form.List.leave(former)
		if !isKept {
			world.first.Readers = slices.DeleteFunc(slices.Clone(all), func(reader Reader) bool { return nameOf(reader.ID) == "manager" })
		}
		service.older = map[int64][]byte{2: world.revise(t, 2, 2)}
		world.first.Readers, world.first.SignedBy = slices.Clone(all), idOfRole(world.list, "manager")
		for index := range world.first.Readers {
			world.first.Readers[index].By = &world.first.SignedBy
		}
		service.files = map[int64][]byte{1: world.revise(t, 3, 2)}
		want := map[bool]error{true: nil, false: OtherPrevious}[isKept]
		if seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 3}, known); err != want || seen == nil {
			t.Errorf("kept %t: %v %v", isKept, seen, err)
		}
	}
}

func TestWhoWasRemovedAndIsBackInARevisionThatIsPassedOverIsDoubtful(t *testing.T) {
	for _, isBack := range []bool{true, false} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID := world.service(), world.first.FormID
		reader := world.reader(t, service, heads, world.headText())
		form, err := reader.Open(ctx, formID)
		if err != nil || len(form.Refused) > 0 {
			t.Fatal(form, err)
		}
		known := []EnvelopeHead{form.Envelopes[0].Head}
		former, manager, back := world.first.SignedBy, idOfRole(world.list, "manager"), idOfRole(world.list, "reader")
		if isBack {
			member := form.List.Members[back]
			form.List.leave(back)
			form.List.letIn(back, member, manager)
		}
		world.first.List = form.List.Head
		form.List.leave(former)
		service.older = map[int64][]byte{2: world.revise(t, 2, 2)}
		world.first.SignedBy = manager
		service.files = map[int64][]byte{1: world.revise(t, 3, 2)}
		seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 3}, known)
		if err != nil {
			t.Fatal(err)
		}
		isDoubtful := slices.ContainsFunc(seen.Head.Readers, func(one SeenReader) bool { return one.ID == back && one.IsDoubtful })
		if isDoubtful != isBack {
			t.Errorf("back %t: %+v", isBack, seen.Head.Readers)
		}
	}
}

func TestWhatFollowsNoHeadByOneIsNeverPassedOver(t *testing.T) {
	for name, one := range map[string]struct {
		isGone bool // otherwise somebody who may write no longer has written it, too, without themself as a reader
		want   error
	}{
		"after a gap": {true, OtherPrevious},
		"by what was seen before one that was passed over": {false, OtherPrevious},
	} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID := world.service(), world.first.FormID
		reader := world.reader(t, service, heads, world.headText())
		form, err := reader.Open(ctx, formID)
		if err != nil || len(form.Refused) > 0 {
			t.Fatal(form, err)
		}
		known := []EnvelopeHead{form.Envelopes[0].Head}
		former, manager, all := world.first.SignedBy, idOfRole(world.list, "manager"), world.first.Readers
		form.List.leave(former)
		service.older = map[int64][]byte{2: nil}
		world.first.Readers = slices.DeleteFunc(slices.Clone(all), func(reader Reader) bool { return reader.ID == former })
		passed := world.revise(t, 2, 2)
		if !one.isGone {
			service.older[2] = passed
		}
		world.first.Readers = all
		service.older[3] = world.revise(t, 3, 2)
		world.first.SignedBy = manager
		service.files = map[int64][]byte{1: world.revise(t, 4, 2)}
		if seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 4}, known); err != one.want || seen == nil {
			t.Errorf("%s: %v %v", name, seen, err)
		}
	}
}

func TestAtTheFirstSightAnEnvelopeThatLacksAPublishedKeyIsAnOwnersAlone(t *testing.T) {
	for _, one := range []struct {
		writer  string
		version int64
		want    error
	}{{"manager", 2, KeyMissing}, {"owner", 2, nil}, {"manager", 33, nil}} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID := world.service(), world.first.FormID
		world.first.SignedBy = idOfRole(world.list, one.writer)
		service.files[1] = createEnvelope(t, world.first, 1, world.people)
		service.published = map[int64]PublishedKey{1: {Fingerprint: world.first.Keys[0].Fingerprint}, one.version: {Fingerprint: "another"}}
		form, err := world.reader(t, service, heads, world.headText()).Open(ctx, formID)
		if err != nil || reasonOf(form, err) != one.want || len(form.Keys) != 1 {
			t.Errorf("%+v: %v %v", one, form, err)
		}
		kept, _ := find[formHeads](heads, formName(formID))
		if (len(kept.Heads) == 0) != (one.want != nil) {
			t.Errorf("%+v: %d heads", one, len(kept.Heads))
		}
	}
}

func TestAnEnvelopeAboveARefusedOneIsAnOwnersAlone(t *testing.T) {
	for _, one := range []struct {
		writer    string
		isRefused bool
		want      int
	}{{"owner", true, 1}, {"manager", true, 2}, {"manager", false, 0}} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID := world.service(), world.first.FormID
		reader := world.reader(t, service, heads, world.headText())
		if form, err := reader.Open(ctx, formID); err != nil || len(form.Refused) > 0 {
			t.Fatal(form, err)
		}
		world.first.FirstVersion, world.first.SignedBy = 33, idOfRole(world.list, one.writer)
		service.files[33] = createEnvelope(t, world.first, 1, world.people)
		if one.isRefused {
			service.files[1] = []byte("made up")
		}
		// Its keys open submissions all the same.
		if form, err := reader.Open(ctx, formID); err != nil || len(form.Refused) != one.want || len(form.ForReading) != max(0, one.want-1) {
			t.Errorf("%+v: %v %v", one, form, err)
		}
	}
}

func TestALogThatWasGivenUpIsNoneForTheRevisionsAfterIt(t *testing.T) {
	for _, isGivenUp := range []bool{false, true} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID := world.service(), world.first.FormID
		reader := world.reader(t, service, heads, world.headText())
		form, err := reader.Open(ctx, formID)
		if err != nil || len(form.Refused) > 0 {
			t.Fatal(form, err)
		}
		head := form.Envelopes[0].Head
		head.KeyLog = &Head{1, hashOf([]byte("the first entry"))}
		text, _ := json.Marshal(formHeads{Heads: []EnvelopeHead{head}})
		put(t, heads, formName(formID), string(text))
		if isGivenUp {
			put(t, heads, givenUpName(formID), `["`+head.KeyLog.Hash+`"]`)
		}
		world.first.SignedBy = idOfRole(world.list, "manager")
		service.files[1] = world.revise(t, 2, 1)
		form, err = reader.Open(ctx, formID)
		if reason := reasonOf(form, err); isGivenUp != (reason == nil) || !isGivenUp && reason != OldKeyLog {
			t.Errorf("given up %t: %v", isGivenUp, reason)
		}
	}
}

func TestOwnersAloneLeaveTheLogThatTheHeadNamesForOneThatWasGivenUp(t *testing.T) {
	for _, by := range []string{"owner", "manager"} {
		for _, isBegun := range []bool{false, true} {
			world, ctx := readCouncil(t), t.Context()
			heads, _ := headFileOf(t)
			service, formID := world.service(), world.first.FormID
			reader := world.reader(t, service, heads, world.headText())
			form, err := reader.Open(ctx, formID)
			if err != nil || len(form.Refused) > 0 {
				t.Fatal(form, err)
			}
			line, log := world.keyLog(t)
			former := Head{20, hashOf([]byte("the log of before"))}
			head := form.Envelopes[0].Head
			head.KeyLog = &Head{1, hashOf(line)}
			text, _ := json.Marshal(formHeads{Heads: []EnvelopeHead{head}})
			put(t, heads, formName(formID), string(text))
			put(t, heads, givenUpName(formID), `["`+former.Hash+`"]`)
			service.keyLog = log
			for _, named := range []Head{former, *head.KeyLog} {
				world.first.SignedBy, world.first.KeyLog = idOfRole(world.list, by), &named
				if isBegun {
					world.first.FirstVersion = 33
					service.files[33] = createEnvelope(t, world.first, 1, world.people)
				} else {
					service.files[1] = world.revise(t, 2, 1)
				}
				isTaken := by == "owner" || named != former
				list, err := reader.LoadList(ctx)
				if err != nil {
					t.Fatal(err)
				}
				envelope := map[bool]int64{true: 33, false: 1}[isBegun]
				seen, err := reader.follow(ctx, &OpenedForm{List: list}, formID, envelope, map[int64]int64{envelope: map[bool]int64{true: 1, false: 2}[isBegun]}, []EnvelopeHead{head})
				if (err == nil) != isTaken || !isTaken && err != UnknownKeyLog || seen == nil {
					t.Errorf("%s, begun %t, %d: %v %v", by, isBegun, named.Number, seen, err)
				}
				if isTaken {
					break
				}
			}
		}
	}
}

func TestAnEnvelopeOfWhichTheServiceListsNoVersionIsReadAndNoPartOfTheForm(t *testing.T) {
	for _, one := range []struct {
		what, by    string
		published   map[int64]PublishedKey
		isForgotten bool
	}{
		{"the list may not be read", "manager", nil, false},
		{"the list is empty", "manager", map[int64]PublishedKey{}, false},
		{"the list has other versions alone", "manager", map[int64]PublishedKey{33: {Fingerprint: "another"}}, false},
		{"the list may not be read", "owner", nil, false},
		{"the list may not be read", "manager", nil, true},
	} {
		for _, isRight := range []bool{true, false} {
			world, ctx := readCouncil(t), t.Context()
			heads, _ := headFileOf(t)
			service, formID := world.service(), world.first.FormID
			world.first.SignedBy = idOfRole(world.list, one.by)
			first := service.files[1]
			second := world.revise(t, 2, 1)
			service.files[1], service.published = second, one.published
			reader := world.reader(t, service, heads, world.headText())
			if one.isForgotten {
				put(t, heads, formName(formID), `{"heads":[],"isRemoved":false,"isForgotten":true}`)
			}
			isApart := one.by == "manager" && !one.isForgotten
			look := func(want error, seen, apart int) {
				t.Helper()
				form, err := reader.Open(ctx, formID)
				kept, _ := find[formHeads](heads, formName(formID))
				if err != nil || reasonOf(form, err) != want || len(kept.Heads) != seen || len(kept.Unlisted) != apart {
					t.Errorf("%+v, right %t: %v %v, %d and %d", one, isRight, form, err, len(kept.Heads), len(kept.Unlisted))
				}
			}
			seen, apart := 1, 0
			if isApart {
				seen, apart = 0, 1
			}
			look(nil, seen, apart)
			look(nil, seen, apart)
			// It is compared with what comes as long as it is so.
			service.files[1] = first
			look(OldRevision, seen, apart)
			delete(service.files, 1)
			look(HiddenEnvelope, seen, apart)
			service.files[1] = second
			owner, _ := find[string](heads, ownerName(formID))
			if (owner == "") != isApart {
				t.Errorf("%+v: the organization is %q", one, owner)
			}
			if isApart {
				other := world
				other.first.FormName = "Another"
				service.files[1] = other.revise(t, 2, 1)
				look(Forked, seen, apart)
				// A signer who is no reader in it, as at any first sight.
				service.files[1] = world.revise(t, 3, 1)
				look(nil, seen, apart)
				service.files[1] = second
				look(OldRevision, seen, apart)
				put(t, heads, formName(formID), `{"heads":[],"isRemoved":false}`)
				look(nil, seen, apart)
			}
			service.published = map[int64]PublishedKey{1: {Fingerprint: map[bool]string{true: world.first.Keys[0].Fingerprint, false: "another"}[isRight]}}
			if isApart && !isRight {
				look(KeyMissing, 0, 0)
			} else {
				look(nil, 1, 0)
			}
			if form, err := reader.Open(ctx, formID); err != nil || (len(form.SeenAgain) == 1) != isApart {
				t.Errorf("%+v: %v %v", one, form.SeenAgain, err)
			}
		}
	}
}

func TestWhatIsKeptApartOpensAlsoOnceItsWriterHasLeft(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	formID := world.first.FormID
	world.first.SignedBy = idOfRole(world.list, "manager")
	service := world.service()
	service.files[1] = world.revise(t, 2, 1)
	reader := world.reader(t, service, heads, world.headText())
	list, err := reader.LoadList(ctx)
	if err != nil {
		t.Fatal(err)
	}
	form := &OpenedForm{List: list}
	for range 2 {
		if _, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 2}, nil); err != nil {
			t.Fatal(err)
		}
		list.leave(world.first.SignedBy)
	}
	service.files[1] = world.revise(t, 3, 1)
	if _, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 3}, nil); err != FormerWriter {
		t.Error(err)
	}
}

func TestTheFirstRevisionThatIsSeenLeavesNoKeyOfItsLogOutUnlessItIsAnOwners(t *testing.T) {
	for _, one := range []struct {
		by                                       string
		isForgotten, isGivenUp, isSeen, isListed bool
		want                                     error
	}{
		{"manager", false, false, false, false, KeyMissing},
		{"manager", false, false, false, true, KeyMissing},
		{"owner", false, false, false, false, nil},
		{"manager", true, false, false, false, nil},
		{"manager", false, true, false, false, nil},
		{"manager", false, false, true, false, nil},
	} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID := world.service(), world.first.FormID
		reader := world.reader(t, service, heads, world.headText())
		if one.isListed {
			service.published = map[int64]PublishedKey{1: {Fingerprint: world.first.Keys[0].Fingerprint}}
		}
		if form, err := reader.Open(ctx, formID); one.isSeen && (err != nil || len(form.Refused) > 0) {
			t.Fatal(form, err)
		}
		naming := world
		naming.first.Keys = slices.Clone(world.first.Keys)
		naming.first.Keys[0].Fingerprint = hashOf([]byte("the form's own"))
		line, log := naming.keyLog(t)
		service.keyLog = log
		world.first.SignedBy, world.first.KeyLog = idOfRole(world.list, one.by), &Head{1, hashOf(line)}
		service.files[1] = world.revise(t, 2, 1)
		if !one.isSeen {
			put(t, heads, formName(formID), fmt.Sprintf(`{"heads":[],"isRemoved":false,"isForgotten":%t}`, one.isForgotten))
		}
		if one.isGivenUp {
			put(t, heads, givenUpName(formID), `["`+hashOf(line)+`"]`)
		}
		form, err := reader.Open(ctx, formID)
		isForReading := one.want != nil
		if err != nil || reasonOf(form, err) != one.want || isForReading != (len(form.ForReading) == 1) {
			t.Errorf("%+v: %v %v", one, form, err)
		}
	}
}

func TestEachEnvelopeThatIsSeenFirstHasTheKeysOfItsLog(t *testing.T) {
	for _, one := range []struct {
		has, log []int64
		names    int64
		want     bool
	}{
		{[]int64{1, 2}, []int64{1, 2}, 2, false},
		{[]int64{2}, []int64{1, 2}, 2, true},
		{[]int64{1}, []int64{1, 2}, 2, true},
		{[]int64{-1, 2}, []int64{1, 2}, 2, true},
		{[]int64{1}, []int64{1, 2}, 1, false},
		{[]int64{1, 3}, []int64{1, 2, 3}, 1, true},
		{[]int64{1, 4}, []int64{1, 2, 3}, 1, false},
		{[]int64{1}, []int64{1, 33}, 2, false},
		{[]int64{1, 2, 3}, []int64{3}, 1, false},
	} {
		content := Content{FirstVersion: 1, KeyLog: &Head{Number: one.names}}
		for _, version := range one.has {
			// A negative one is another key of the version.
			content.Keys = append(content.Keys, FormKey{Version: max(version, -version), Fingerprint: fmt.Sprint(version)})
		}
		log := &KeyLog{}
		for index, version := range one.log {
			log.Entries = append(log.Entries, KeyLogEntry{Number: int64(index) + 1, Key: LoggedKey{Version: version, Fingerprint: fmt.Sprint(version)}})
		}
		if got := content.lacksNamed(log); got != one.want {
			t.Errorf("%+v: %t", one, got)
		}
	}
}

func TestAnEnvelopeThatNoPublishedVersionHasReachedIsReadAndNoPartOfTheForm(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service, formID := world.service(), world.first.FormID
	fingerprint := world.first.Keys[0].Fingerprint
	service.published = map[int64]PublishedKey{1: {Fingerprint: fingerprint}}
	world.first.FirstVersion = 33
	service.files[33] = createEnvelope(t, world.first, 1, world.people)
	reader := world.reader(t, service, heads, world.headText())
	form, err := reader.Open(ctx, formID)
	if err != nil || len(form.Refused) > 0 || len(form.Envelopes) != 1 || len(form.ForReading) != 1 {
		t.Fatal(form, err)
	}
	kept, err := find[formHeads](heads, formName(formID))
	if err != nil || len(kept.Heads) != 1 {
		t.Error(kept, err)
	}
	service.published[33] = PublishedKey{Fingerprint: fingerprint}
	if form, err := reader.Open(ctx, formID); err != nil || len(form.Refused) > 0 || len(form.Envelopes) != 2 {
		t.Error(form, err)
	}
}

func TestWhatTheKeyLogHasReachedIsNoEnvelopeAheadOfItsTime(t *testing.T) {
	for _, one := range []struct {
		what                         string
		isNamed, isGivenUp, isHidden bool
		version                      int64
		isDamaged, isPart            bool
	}{
		{"the log has reached it", true, false, false, 33, false, true},
		{"the log has reached it, which nobody opens", true, false, false, 33, true, true},
		{"the log has not reached it", true, false, false, 32, false, false},
		{"no head names the log", false, false, false, 33, false, false},
		{"the log was given up", true, true, false, 33, false, false},
		{"the log is hidden", true, false, true, 33, false, false},
	} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID := world.service(), world.first.FormID
		fingerprint := world.first.Keys[0].Fingerprint
		service.published = map[int64]PublishedKey{1: {Fingerprint: fingerprint}}
		line, log := world.keyLogOf(t, LoggedKey{Version: one.version, Fingerprint: fingerprint})
		service.keyLog = log
		reader := world.reader(t, service, heads, world.headText())
		if one.isNamed {
			world.first.KeyLog = &Head{1, hashOf(line)}
			service.files[1] = world.revise(t, 2, 1)
		}
		if form, err := reader.Open(ctx, formID); err != nil || len(form.Envelopes) != 1 {
			t.Fatal(one.what, form, err)
		}
		if one.isGivenUp {
			put(t, heads, givenUpName(formID), `["`+hashOf(line)+`"]`)
		}
		if one.isHidden {
			service.keyLog = nil
		}
		begun := world.first
		begun.FirstVersion, begun.SignedBy = 33, idOfRole(world.list, "owner")
		service.files[33] = createEnvelope(t, begun, 1, world.people)
		if one.isDamaged {
			service.files[33] = []byte("bytes of no file")
		}
		form, err := reader.Open(ctx, formID)
		if err != nil || (len(form.Refused) == 1) != one.isDamaged || (len(form.Envelopes) == 2) != (one.isPart && !one.isDamaged) || (len(form.ForReading) == 1) == one.isPart {
			t.Errorf("%s: %v %v %v", one.what, form, form.Refused, err)
		}
	}
}

// countedLogs counts the requests for a key log.
type countedLogs struct {
	*playedService
	logs int
}

func (service *countedLogs) KeyLog(ctx context.Context, formID string) ([]byte, error) {
	service.logs++
	return service.playedService.KeyLog(ctx, formID)
}

func TestAKeyLogIsAskedForOnceForARevision(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	line, log := world.keyLog(t)
	world.first.KeyLog = &Head{1, hashOf(line)}
	service := &countedLogs{playedService: world.service()}
	service.keyLog, service.files[1] = log, world.revise(t, 2, 1)
	service.published = map[int64]PublishedKey{1: {Fingerprint: world.first.Keys[0].Fingerprint}}
	form, err := world.reader(t, service, heads, world.headText()).Open(ctx, world.first.FormID)
	if err != nil || len(form.Envelopes) != 1 || service.logs != 1 {
		t.Error(form, err, service.logs)
	}
}

func TestWhatTheCommandLineNotedOfHiddenKeyLogsStaysUntilTheirEnvelopeOpens(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service, formID := world.service(), world.first.FormID
	fingerprint := world.first.Keys[0].Fingerprint
	service.published = map[int64]PublishedKey{1: {Fingerprint: fingerprint}, 33: {Fingerprint: fingerprint}}
	note := func(firstVersion int64) string {
		return fmt.Sprintf(`{"firstVersion":%d,"keyLog":{"number":3,"hash":"%s"}}`, firstVersion, hashOf([]byte("hidden")))
	}
	unlisted := fmt.Sprintf(`{"organizationId":"%s","formId":"%s","firstVersion":33,"revision":1}`, world.list.OrganizationID, formID)
	put(t, heads, formName(formID), fmt.Sprintf(`{"heads":[],"isRemoved":false,"unlisted":[%s],"unshown":[%s,%s]}`, unlisted, note(1), note(33)))
	if form, err := world.reader(t, service, heads, world.headText()).Open(ctx, formID); err != nil || len(form.Envelopes) != 1 {
		t.Fatal(form, err)
	}
	kept, err := heads.Find(formName(formID))
	var noted struct{ Unshown []json.RawMessage }
	if err != nil || json.Unmarshal(kept, &noted) != nil || len(noted.Unshown) != 1 {
		t.Fatal(string(kept), err)
	}
	var left bytes.Buffer
	if json.Compact(&left, noted.Unshown[0]) != nil || left.String() != note(33) {
		t.Error(left.String())
	}
}

func TestAKeyThatWasSeenAheadOfItsTimeIsNotTheFormsInThatRevision(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service, formID := world.service(), world.first.FormID
	fingerprint := world.first.Keys[0].Fingerprint
	service.published = map[int64]PublishedKey{1: {Fingerprint: fingerprint}}
	service.files[1] = world.revise(t, 2, 2)
	reader := world.reader(t, service, heads, world.headText())
	for range 2 {
		form, err := reader.Open(ctx, formID)
		if err != nil || len(form.Refused) > 0 {
			t.Fatal(form, err)
		}
		kept, err := find[formHeads](heads, formName(formID))
		if err != nil || !kept.Heads[0].isPublished(1) || kept.Heads[0].isPublished(2) {
			t.Error(kept, err)
		}
		service.published[2] = PublishedKey{Fingerprint: fingerprint}
	}
	// Every writer has left it out.
	service.files[1] = world.revise(t, 3, 1)
	if form, err := reader.Open(ctx, formID); err != nil || len(form.Refused) > 0 {
		t.Error(form, err)
	}
}

func TestAKeyThatWasSeenAheadOfItsTimeIsProvedByOthersWhoWriteOrByAnOwnersEntry(t *testing.T) {
	for _, one := range []struct {
		person                             string
		isNext, isFormer, isLog, isGivenUp bool
		want                               bool
	}{
		{person: "reader"},
		{person: "reader", isNext: true, want: true},
		{person: "owner", isNext: true},
		{person: "reader", isNext: true, isFormer: true},
		{person: "reader", isLog: true, want: true},
		{person: "reader", isLog: true, isGivenUp: true},
	} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID := world.service(), world.first.FormID
		fingerprint := world.first.Keys[0].Fingerprint
		service.published = map[int64]PublishedKey{1: {Fingerprint: fingerprint}}
		if one.isLog {
			line, log := world.keyLogOf(t, LoggedKey{Version: 2, Fingerprint: fingerprint})
			world.first.KeyLog, service.keyLog = &Head{1, hashOf(line)}, log
			service.published[2] = PublishedKey{Fingerprint: "another"}
		}
		service.files[1] = world.revise(t, 2, 2)
		if one.isGivenUp {
			if err := revise(heads, givenUpName(formID), func([]string) ([]string, bool) { return []string{world.first.KeyLog.Hash}, true }); err != nil {
				t.Fatal(err)
			}
		}
		identity := []byte(world.people[one.person].Identity + "\n")
		reader, err := NewFormReader(FormReaderOptions{service, identity, heads, world.headText()})
		if err != nil {
			t.Fatal(err)
		}
		form, err := reader.Open(ctx, formID)
		if err != nil || len(form.Refused) > 0 || form.Envelopes[0].Head.isPublished(2) {
			t.Fatalf("%+v: %v %v", one, form, err)
		}
		form.published[2] = PublishedKey{Fingerprint: fingerprint}
		known, revision := []EnvelopeHead{form.Envelopes[0].Head}, 2
		// As another program has kept it, to which the log was not shown.
		known[0].Keys[1].IsAhead = true
		if err := revise(heads, formName(formID), func(formHeads) (formHeads, bool) { return formHeads{Heads: known}, true }); err != nil {
			t.Fatal(err)
		}
		if one.isNext {
			revision, service.files[1] = 3, world.revise(t, 3, 2)
		}
		if one.isFormer {
			form.List.leave(world.first.SignedBy)
		}
		seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: int64(revision)}, known)
		if err != nil || seen.Head.isPublished(2) != one.want || !seen.Head.isPublished(1) {
			t.Errorf("%+v: %+v %v", one, seen, err)
		}
	}
}

func TestAnEarlierEnvelopeOfAWriterWhoHasLeftIsForReading(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	formID := world.first.FormID
	reader := world.reader(t, world.service(), heads, world.headText())
	form, err := reader.Open(ctx, formID)
	if err != nil || len(form.Refused) > 0 {
		t.Fatal(form, err)
	}
	// As another device hands it over: the last one alone.
	head := form.Envelopes[0].Head
	head.FirstVersion, head.Keys = 33, nil
	text, _ := json.Marshal(formHeads{Heads: []EnvelopeHead{head}})
	put(t, heads, formName(formID), string(text))
	form.List.leave(world.first.SignedBy)
	if seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 1}, []EnvelopeHead{head}); err != FormerWriter || seen == nil || !seen.IsByFormer {
		t.Error(seen, err)
	}
	if kept, err := find[formHeads](heads, formName(formID)); err != nil || len(kept.Heads) != 1 || kept.Heads[0].FirstVersion != 33 {
		t.Error(kept, err)
	}
}

func TestTheFirstSightOfAFormByAWriterWhoHasLeftOpensSubmissionsAndIsNotRemembered(t *testing.T) {
	for _, isGone := range []bool{true, false} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		formID := world.first.FormID
		reader := world.reader(t, world.service(), heads, world.headText())
		list, err := reader.LoadList(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if isGone {
			list.leave(world.first.SignedBy)
		}
		want := map[bool]error{true: FormerWriter}[isGone]
		form := &OpenedForm{List: list, published: map[int64]PublishedKey{1: {Fingerprint: world.first.Keys[0].Fingerprint}}}
		for range 2 {
			seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 1}, nil)
			if err != want || seen == nil || len(seen.Content.Keys) != 1 {
				t.Fatalf("gone %t: %v %v", isGone, seen, err)
			}
			if kept, err := find[formHeads](heads, formName(formID)); err != nil || (len(kept.Heads) == 0) != isGone {
				t.Errorf("gone %t: %v %v", isGone, kept, err)
			}
		}
	}
}

// put keeps a text under a name, as another program does.
func put(t *testing.T, heads Store, name, text string) {
	t.Helper()
	if err := heads.Change(name, func(json.RawMessage) (json.RawMessage, error) { return []byte(text), nil }); err != nil {
		t.Fatal(err)
	}
}

func TestAFormThatWasSeenInAnotherOrganizationIsOpenedOnceThatIsPutAside(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service, formID := world.service(), world.first.FormID
	reader := world.reader(t, service, heads, world.headText())
	if form, err := reader.Open(ctx, formID); err != nil || len(form.Refused) > 0 {
		t.Fatal(form, err)
	}
	kept, _ := find[formHeads](heads, formName(formID))
	kept.Heads[0].OrganizationID = "acc_01hk153x00e5rbcwg8rxcnh8w4"
	text, _ := json.Marshal(kept)
	put(t, heads, formName(formID), string(text))
	put(t, heads, ownerName(formID), "null")
	for range 2 {
		if _, err := reader.Open(ctx, formID); err != MovedForm {
			t.Error(err)
		}
	}
	// By sealpost keys forget.
	put(t, heads, formName(formID), `{"heads":[],"isRemoved":false,"isForgotten":true}`)
	put(t, heads, ownerName(formID), "null")
	if form, err := reader.Open(ctx, formID); err != nil || len(form.Refused) > 0 || len(form.Envelopes) != 1 {
		t.Error(form, err)
	}
}

func TestAListThatWasPutAsideNeedsItsHeadOnceMore(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service, formID := world.service(), world.first.FormID
	if form, err := world.reader(t, service, heads, world.headText()).Open(ctx, formID); err != nil || len(form.Refused) > 0 {
		t.Fatal(form, err)
	}
	put(t, heads, listName(world.list.OrganizationID), fmt.Sprintf(`{"number":%d,"hash":"%s"}`, world.list.Head.Number+1, world.list.Head.Hash))
	if _, err := world.reader(t, service, heads, "").Open(ctx, formID); err != OldList {
		t.Error(err)
	}
	// By sealpost keys forget.
	put(t, heads, listName(world.list.OrganizationID), "null")
	if _, err := world.reader(t, service, heads, "").Open(ctx, formID); err != NotTrusted {
		t.Error(err)
	}
	for _, list := range []string{world.headText(), ""} {
		if form, err := world.reader(t, service, heads, list).Open(ctx, formID); err != nil || len(form.Refused) > 0 {
			t.Error(form, err)
		}
	}
}

func TestAFormThatWasPutAsideMayLackAPublishedKey(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service, formID := world.service(), world.first.FormID
	world.first.SignedBy = idOfRole(world.list, "manager")
	service.files[1] = createEnvelope(t, world.first, 1, world.people)
	service.published = map[int64]PublishedKey{1: {Fingerprint: world.first.Keys[0].Fingerprint}, 2: {Fingerprint: "another"}}
	reader := world.reader(t, service, heads, world.headText())
	if form, err := reader.Open(ctx, formID); err != nil || reasonOf(form, err) != KeyMissing {
		t.Error(form, err)
	}
	put(t, heads, formName(formID), `{"heads":[],"isRemoved":false,"isForgotten":true}`)
	for range 2 {
		if form, err := reader.Open(ctx, formID); err != nil || len(form.Refused) > 0 {
			t.Error(form, err)
		}
	}
}

func TestARevisionWithoutAPublishedKeyOpensSubmissionsAndNothingMore(t *testing.T) {
	for _, isAsked := range []bool{true, false} {
		for _, isFormer := range []bool{true, false} {
			world, ctx := readCouncil(t), t.Context()
			heads, _ := headFileOf(t)
			service, formID := world.service(), world.first.FormID
			if isAsked {
				service.published = map[int64]PublishedKey{1: {Fingerprint: world.first.Keys[0].Fingerprint}}
			}
			reader := world.reader(t, service, heads, world.headText())
			form, err := reader.Open(ctx, formID)
			if err != nil || len(form.Refused) > 0 {
				t.Fatal(form, err)
			}
			known := []EnvelopeHead{form.Envelopes[0].Head}
			world.first.Keys[0].Seed = known[0].Hash
			service.files[1] = world.revise(t, 2, 1)
			if isFormer {
				form.List.leave(world.first.SignedBy)
			}
			seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 2}, known)
			// Where the service's list may not be read, no key counts as published.
			want := map[bool]error{true: KeyMissing, false: map[bool]error{true: FormerWriter}[isFormer]}[isAsked]
			if err != want || (seen == nil) != isFormer {
				t.Errorf("asked %t, former %t: %v %v", isAsked, isFormer, seen, err)
			}
			kept, _ := find[formHeads](heads, formName(formID))
			if isNew := kept.Heads[0].Revision == 2; isNew != (want == nil) {
				t.Errorf("asked %t, former %t: revision %d is remembered", isAsked, isFormer, kept.Heads[0].Revision)
			}
		}
	}
}

func TestRevisionsThatWereMissedAreOpenedInOrderAndSayWhoMayWriteTheNext(t *testing.T) {
	without := func(readers []Reader, name string) []Reader {
		return slices.DeleteFunc(slices.Clone(readers), func(reader Reader) bool { return nameOf(reader.ID) == name })
	}
	for name, missed := range map[string]struct {
		older  map[int64]bool
		writer string
		want   error
		seen   int64
	}{
		"he was taken out":                                 {map[int64]bool{2: true, 3: true}, "manager", NotAllowed, 3},
		"he was taken out, and one opens for nobody":       {map[int64]bool{2: true, 3: false}, "manager", NotAllowed, 2},
		"one that may have taken him out opens for nobody": {map[int64]bool{2: false, 3: false}, "manager", OtherPrevious, 1},
		"those that may have taken him out are withheld":   {map[int64]bool{}, "manager", OtherPrevious, 1},
		"an owner writes after one that opens for nobody":  {map[int64]bool{2: false, 3: false}, "owner", nil, 4},
		"an owner writes after those that are withheld":    {map[int64]bool{}, "owner", nil, 4},
	} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service := world.service()
		reader := world.reader(t, service, heads, world.headText())
		if form, err := reader.Open(ctx, world.first.FormID); err != nil || len(form.Refused) > 0 {
			t.Fatal(form, err)
		}
		service.older = map[int64][]byte{}
		all := world.first.Readers
		for revision := 2; revision <= 3; revision++ {
			world.first.Readers = without(all, "manager")
			file := world.revise(t, revision, 1)
			if isRight, isKept := missed.older[int64(revision)]; isRight {
				service.older[int64(revision)] = file
			} else if isKept {
				service.older[int64(revision)] = file[:len(file)-1]
			} else {
				service.older[int64(revision)] = nil
			}
		}
		// The manager puts himself there, or the owner does.
		world.first.Readers, world.first.SignedBy = slices.Clone(all), idOfRole(world.list, missed.writer)
		for index := range world.first.Readers {
			world.first.Readers[index].By = &world.first.SignedBy
		}
		service.files = map[int64][]byte{1: world.revise(t, 4, 1)}
		form, err := reader.Open(ctx, world.first.FormID)
		if err != nil || reasonOf(form, err) != missed.want {
			t.Errorf("%s: %v %v", name, form, reasonOf(form, err))
		}
		kept, _ := find[formHeads](heads, formName(world.first.FormID))
		if kept.Heads[0].Revision != missed.seen {
			t.Errorf("%s: revision %d is remembered", name, kept.Heads[0].Revision)
		}
		// After a gap its keys open submissions, and nothing more.
		if isForReading := missed.want == OtherPrevious; isForReading != (len(form.ForReading) == 1) || len(form.Keys) != map[bool]int{true: 0, false: 1}[missed.want == NotAllowed] {
			t.Errorf("%s: %+v", name, form)
		}
	}
}

func TestARevisionWhoseKeyLogIsHiddenIsNoGapForItsReaders(t *testing.T) {
	for name, missed := range map[string]struct {
		before, in bool
		want       error
		seen       int64
	}{
		"he reads in both":         {true, true, nil, 3},
		"he was taken out":         {true, false, OtherPrevious, 1},
		"he was put in":            {false, true, nil, 3},
		"he reads in neither form": {false, false, NotAllowed, 1},
	} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		manager, all := idOfRole(world.list, "manager"), world.first.Readers
		without := slices.DeleteFunc(slices.Clone(all), func(reader Reader) bool { return reader.ID == manager })
		readers := map[bool][]Reader{true: all, false: without}
		world.first.Readers = readers[missed.before]
		first := world.revise(t, 2, 1)
		service := world.service()
		service.files = map[int64][]byte{1: first}
		reader := world.reader(t, service, heads, world.headText())
		if form, err := reader.Open(ctx, world.first.FormID); err != nil || len(form.Refused) > 0 {
			t.Fatal(form, err)
		}
		line, _ := world.keyLog(t)
		world.first.Readers, world.first.KeyLog = readers[missed.in], &Head{1, hashOf(line)}
		service.older = map[int64][]byte{3: world.revise(t, 3, 1)}
		world.first.Readers, world.first.KeyLog, world.first.SignedBy = slices.Clone(all), nil, manager
		for index := range world.first.Readers {
			world.first.Readers[index].By = &manager
		}
		service.files = map[int64][]byte{1: world.revise(t, 4, 1)}
		form, err := reader.Open(ctx, world.first.FormID)
		if err != nil || reasonOf(form, err) != missed.want {
			t.Errorf("%s: %v %v", name, form, reasonOf(form, err))
		}
		kept, _ := find[formHeads](heads, formName(world.first.FormID))
		if kept.Heads[0].Revision != missed.seen+1 {
			t.Errorf("%s: revision %d is remembered", name, kept.Heads[0].Revision)
		}
		// Who is let in by a revision of which nothing else is used is asked about, and proves nothing.
		isProven := slices.ContainsFunc(kept.Heads[0].Readers, func(seen SeenReader) bool { return seen.ID == manager && seen.By != nil })
		if missed.want == nil && isProven != missed.before {
			t.Errorf("%s: %+v", name, kept.Heads[0].Readers)
		}
	}
}

func TestAnOwnerWhoHasLeftSinceDoesNotContinueAfterAGap(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service, formID := world.service(), world.first.FormID
	reader := world.reader(t, service, heads, world.headText())
	form, err := reader.Open(ctx, formID)
	if err != nil || len(form.Refused) > 0 {
		t.Fatal(form, err)
	}
	known := []EnvelopeHead{form.Envelopes[0].Head}
	form.List.leave(world.first.SignedBy)
	world.revise(t, 2, 1)
	service.older, service.files[1] = map[int64][]byte{2: nil}, world.revise(t, 3, 1)
	if seen, err := reader.follow(ctx, form, formID, 1, map[int64]int64{1: 3}, known); seen == nil || err != OtherPrevious {
		t.Error(seen, err)
	}
}

// keyLog is one entry of a key log, by the owner: its signed line, and the log.
func (world council) keyLog(t *testing.T) (line, log []byte) {
	t.Helper()
	return world.keyLogOf(t, LoggedKey{Version: 1, Fingerprint: world.first.Keys[0].Fingerprint})
}

func (world council) keyLogOf(t *testing.T, logged LoggedKey) (line, log []byte) {
	t.Helper()
	seed, _ := base64.RawURLEncoding.DecodeString(world.people["owner"].SigningSeed)
	key := ed25519.NewKeyFromSeed(seed)
	signer := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
	entry := KeyLogEntry{
		Format: keyLogFormat, FormID: world.first.FormID, Number: 1, Place: 1, WrittenAt: "2026-01-01T00:00:00Z", SignedBy: signer,
		Key: logged, Owners: []string{signer}, Managers: []string{},
		Extended: world.first.Extended,
	}
	line, _ = json.Marshal(entry)
	signature := ed25519.Sign(key, append([]byte(keyLogFormat+"\n"), line...))
	log = fmt.Appendf(nil, "%s\n{\"signature\":\"%s\"}\n", line, base64.RawURLEncoding.EncodeToString(signature))
	if _, err := VerifyKeyLog(log, world.first.FormID, nil); err != nil {
		t.Fatal(err)
	}
	return line, log
}

func TestARevisionWhoseKeyLogNobodyCanShowOpensToReadByAndIsNotRemembered(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	line, log := world.keyLog(t)
	for what, named := range map[string]Head{
		"shown":         {1, hashOf(line)},
		"never there":   {2, hashOf(line)},
		"another entry": {1, hashOf(log)},
	} {
		for _, isSeen := range []bool{true, false} {
			heads, _ := headFileOf(t)
			service := world.service()
			service.keyLog = log
			reader := world.reader(t, service, heads, world.headText())
			if isSeen {
				if form, err := reader.Open(ctx, world.first.FormID); err != nil || len(form.Refused) > 0 {
					t.Fatal(form, err)
				}
			}
			naming := world
			naming.first.KeyLog = &named
			service.files = map[int64][]byte{1: naming.revise(t, 2, 1)}
			form, err := reader.Open(ctx, world.first.FormID)
			if err != nil || len(form.Keys) != 1 {
				t.Fatal(what, form, err)
			}
			kept, _ := find[formHeads](heads, formName(world.first.FormID))
			isRemembered := len(kept.Heads) == 1 && kept.Heads[0].Revision == 2
			if isShown := what == "shown"; isShown != (len(form.Refused) == 0) || isShown != isRemembered || isShown == (len(form.ForReading) == 1) {
				t.Errorf("%s: %+v", what, form)
			} else if !isShown && form.Refused[0].Err != UnknownKeyLog {
				t.Error(what, form.Refused[0].Err)
			}
			// Somebody has said to the command line that the log was given up.
			if err := revise(heads, givenUpName(world.first.FormID), func([]string) ([]string, bool) { return []string{named.Hash}, true }); err != nil {
				t.Fatal(err)
			}
			if form, err := reader.Open(ctx, world.first.FormID); err != nil || len(form.Refused) > 0 {
				t.Error(what, form, err)
			}
		}
	}
}

func TestListsOfOtherEnvelopesAreThoseOfBeforeTheFormWasOpened(t *testing.T) {
	headOf := func(firstVersion, list int64) EnvelopeHead {
		return EnvelopeHead{FirstVersion: firstVersion, List: Head{Number: list}}
	}
	known := []EnvelopeHead{headOf(1, 3)}
	now := []EnvelopeHead{headOf(1, 9), headOf(33, 9), headOf(65, 9)}
	others := othersOf(65, now, known)
	want := []OtherHead{{known[0], false}, {now[1], true}}
	if !reflect.DeepEqual(others, want) {
		t.Errorf("%+v", others)
	}
}

func TestOwnersAloneLeaveAKeyLogByARevision(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	line, log := world.keyLog(t)
	named, former := Head{1, hashOf(line)}, Head{1, hashOf(log)}
	for _, isByOwner := range []bool{true, false} {
		for _, isByFormer := range []bool{false, true} {
			for _, before := range []Head{named, former} {
				heads, _ := headFileOf(t)
				service := world.service()
				service.keyLog = log
				reader := world.reader(t, service, heads, world.headText())
				seen := &Opened{Content: world.first, IsByOwner: isByOwner, IsByFormer: isByFormer}
				seen.Content.KeyLog = &named
				isShown, _, err := reader.showsLog(ctx, &formLog{source: service, formID: world.first.FormID}, seen, &EnvelopeHead{FirstVersion: 1, KeyLog: &before})
				if err != nil || isShown != (before == named || isByOwner) {
					t.Errorf("owner's %t, former %t, another log %t: %t, %v", isByOwner, isByFormer, before == former, isShown, err)
				}
				// A person has said that the one before was given up.
				if err := revise(heads, givenUpName(world.first.FormID), func([]string) ([]string, bool) { return []string{before.Hash}, true }); err != nil {
					t.Fatal(err)
				}
				if isShown, _, err := reader.showsLog(ctx, &formLog{source: service, formID: world.first.FormID}, seen, &EnvelopeHead{FirstVersion: 1, KeyLog: &before}); err != nil || !isShown {
					t.Errorf("owner's %t, given up: %v", isByOwner, err)
				}
			}
		}
	}
}

func TestKeysAreComparedWithThoseThatTheServicePublishes(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service := world.service()
	service.files[1] = world.revise(t, 2, 2)
	fingerprint := world.first.Keys[0].Fingerprint
	service.published = map[int64]PublishedKey{1: {Fingerprint: "another"}, 2: {Fingerprint: fingerprint}, 3: {Fingerprint: "not here"}}
	form, err := world.reader(t, service, heads, world.headText()).Open(ctx, world.first.FormID)
	if err != nil || len(form.Keys) != 1 || form.Keys[0].Version != 2 || !slices.Equal(form.OtherKeys, []int64{1}) || !slices.Equal(form.Missing, []int64{3}) {
		t.Errorf("%+v %v", form, err)
	}
}

func TestKeysForARotatedFormAreFetchedOnceForAll(t *testing.T) {
	world, ctx := readCouncil(t), t.Context()
	heads, _ := headFileOf(t)
	service, formID, now := world.service(), world.first.FormID, time.Unix(1704067200, 0)
	parse := func(text []byte) (int, error) {
		var file struct {
			FormID     string          `json:"formId"`
			KeyVersion int             `json:"keyVersion"`
			PrivateKey json.RawMessage `json:"privateKey"`
		}
		err := json.Unmarshal(text, &file)
		if file.FormID != formID || len(file.PrivateKey) == 0 {
			t.Error(string(text))
		}
		return file.KeyVersion, err
	}
	keys := NewFormKeys(world.reader(t, service, heads, world.headText()), parse)
	keys.Now = func() time.Time { return now }
	want := func(version, asked int, all []int, problem error) {
		t.Helper()
		before := service.asked
		got, err := keys.KeysFor(ctx, formID, version)
		slices.Sort(got)
		if !slices.Equal(got, all) || err != problem || service.asked-before != asked {
			t.Errorf("version %d: %v %v, %d requests", version, got, err, service.asked-before)
		}
	}
	want(1, 4, []int{1}, nil)
	want(1, 0, []int{1}, nil)
	want(99, 4, []int{1}, nil)
	want(99, 0, []int{1}, nil)
	second := world.revise(t, 2, 2)
	service.files[1] = nil
	want(2, 4, nil, HiddenEnvelope)
	want(2, 0, nil, HiddenEnvelope)
	want(1, 0, []int{1}, nil)
	service.files[1] = second
	now = now.Add(10 * time.Second)
	before := service.asked
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			if got, err := keys.KeysFor(ctx, formID, 2); len(got) != 2 || err != nil {
				t.Error(got, err)
			}
		})
	}
	group.Wait()
	if service.asked-before != 4 {
		t.Error("once for all:", service.asked-before)
	}
	// A broken connection is no reason to wait.
	service.err = errors.New("away")
	want(3, 1, nil, service.err)
	service.err = nil
	want(3, 4, []int{1, 2}, nil)
	broken := NewFormKeys(world.reader(t, service, heads, ""), func([]byte) (int, error) { return 0, errors.New("broken") })
	if _, err := broken.KeysFor(ctx, formID, 1); !errors.Is(err, WrongKey) {
		t.Error(err)
	}
}

func TestTheKeysOfTenThousandFormsAreHeldHoweverManyAServerNames(t *testing.T) {
	keys := NewFormKeys(nil, func([]byte) (int, error) { return 0, nil })
	name := func(number int) string { return fmt.Sprint("form_", number) }
	first := keys.of(name(0))
	for number := range formsMax {
		keys.of(name(number))
	}
	second := keys.of(name(1))
	if keys.of(name(0)) != first || keys.of("form_more") == nil || keys.recent.Len() != formsMax || len(keys.forms) != formsMax {
		t.Error(keys.recent.Len(), len(keys.forms))
	}
	if keys.of(name(0)) != first || keys.of(name(1)) != second {
		t.Error("they were asked for a moment ago")
	}
	if _, isHeld := keys.forms[name(2)]; isHeld {
		t.Error("nobody had asked for it for the longest time")
	}
}

func TestProgramsThatShareAHeadFileSpoilNothingOfEachOther(t *testing.T) {
	heads, path := headFileOf(t)
	// Left by a program that was killed.
	old := time.Now().Add(-time.Hour)
	if os.WriteFile(path+".lock", nil, 0o600) != nil || os.Chtimes(path+".lock", old, old) != nil {
		t.Fatal("no lock")
	}
	var group sync.WaitGroup
	for index := range 8 {
		group.Go(func() {
			if _, err := claim(NewHeadFile(path), fmt.Sprint("name ", index), "value"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for index := range 8 {
		if value, err := find[string](heads, fmt.Sprint("name ", index)); value != "value" || err != nil {
			t.Error(index, value, err)
		}
	}
	left, _ := filepath.Glob(path + ".*")
	if len(left) > 0 {
		t.Error(left)
	}
}

func TestEveryProblemHasASentence(t *testing.T) {
	for problem, sentence := range problemSentences {
		if !strings.HasSuffix(problem.Error(), sentence) || sentence == "" {
			t.Error(problem)
		}
	}
}

func TestAllPagesOfAListAreReadByTheReaderAndOneThatIsHiddenOrAnotherIsRefused(t *testing.T) {
	world := readCouncil(t)
	owner := idOfRole(world.list, "owner")
	list, seen := world.list.clone(), world.list.Head
	filling := newFiller(t, list, owner, world.people["owner"].SigningSeed, "2026-11-22T08:00:00Z", `"change":"note","admission":null`)
	lines := bytes.SplitAfter(world.text, []byte("\n"))
	lines = lines[:len(lines)-1]
	for len(lines) < 2*(2*pageEntries+3) {
		signed := filling.next(t)
		lines = append(lines, append(signed.line, '\n'), append(signed.signatureLine, '\n'))
	}
	page := func(from, to int) []byte { return bytes.Join(lines[2*(from-1):min(2*to, len(lines))], nil) }
	const last = 2 * pageEntries
	whole := map[int64][]byte{pageEntries: page(1, pageEntries), last: page(pageEntries+1, last)}
	follow := func(newest []byte, pages map[int64][]byte) (*List, error) {
		heads, _ := headFileOf(t)
		reader := &FormReader{source: &playedService{list: newest, pages: pages}, heads: heads, passedOn: &seen}
		return reader.followList(context.Background(), list.OrganizationID)
	}
	newest := page(last+1, last+3)
	if read, err := follow(newest, whole); err != nil || read.Head != list.Head || len(read.entries) != last+3 {
		t.Fatal(err)
	}
	refused := map[string]map[int64][]byte{
		"no first page":                   {last: whole[last]},
		"no page between":                 {pageEntries: whole[pageEntries]},
		"the first page twice":            {last: whole[pageEntries], pageEntries: whole[pageEntries]},
		"a page without its first entry":  {last: page(pageEntries+2, last), pageEntries: whole[pageEntries]},
		"a page without its last entry":   {last: page(pageEntries+1, last-1), pageEntries: whole[pageEntries]},
		"a page with one entry too many":  {last: page(pageEntries+1, last+1), pageEntries: whole[pageEntries]},
		"a page that begins an entry off": {last: page(pageEntries, last-1), pageEntries: whole[pageEntries]},
	}
	for name, pages := range refused {
		if _, err := follow(newest, pages); err != HiddenList {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := follow(page(last+2, last+3), map[int64][]byte{last + 1: page(pageEntries+2, last+1), pageEntries + 1: page(2, pageEntries+1), 1: page(1, 1)}); err != HiddenList {
		t.Error("pages of other entries", err)
	}
}

func TestNoPageIsAskedForByAReaderOfAListThatIsTooLong(t *testing.T) {
	world := readCouncil(t)
	for number, want := range map[int]error{entriesMax - pageEntries + 1: HiddenList, entriesMax + 1: Malformed} {
		heads, _ := headFileOf(t)
		service := &playedService{list: fmt.Appendf(nil, `{"number":%d}`+"\n{}\n", number)}
		reader := &FormReader{source: service, heads: heads, passedOn: &world.list.Head}
		_, err := reader.followList(context.Background(), world.list.OrganizationID)
		if isAsked := service.asked > 1; err != want || isAsked != (want == HiddenList) {
			t.Errorf("%d: %v, asked: %t", number, err, isAsked)
		}
	}
}

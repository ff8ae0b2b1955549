package envelope

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"filippo.io/age"
)

// Problem says why a list or an envelope that the service shows may not be used, beyond what a Refusal says of its bytes.
type Problem string

// The problems of a reader.
const (
	NoList         Problem = "no_list"
	HiddenList     Problem = "hidden_list"
	NotTrusted     Problem = "not_trusted"
	OtherList      Problem = "other_list"
	NotListed      Problem = "not_listed"
	HiddenEnvelope Problem = "hidden_envelope"
	FormerWriter   Problem = "former_writer"
	MovedForm      Problem = "moved_form"
)

var problemSentences = map[Problem]string{
	NoList:         "the organization has no signed list of members, so nothing says who may write an envelope",
	HiddenList:     "the server shows no list of members, although one was seen before",
	NotTrusted:     "no list of members has been seen with this identity: give the head that was shown when its recipient was added (NUMBER-HASH)",
	OtherList:      "the list of members that the server shows is not the one whose head was passed on",
	NotListed:      "this identity is nobody's in the list of members: an owner or manager has to add its recipient, or has removed it",
	HiddenEnvelope: "the server shows no envelope, although one was seen before",
	FormerWriter:   "somebody who may no longer write this envelope has written it last, with keys that were not seen before",
	MovedForm:      "this form was seen in another organization before, where others read",
}

// Error is the sentence.
func (problem Problem) Error() string { return "sealpost: " + problemSentences[problem] }

// Source is the service: what sealpost-go gives with Client.EnvelopeSource.
type Source interface {
	// SignedList gives the page with the newest entry, nil where the server says that there is none.
	SignedList(ctx context.Context) ([]byte, error)
	// SignedListPage gives the page that has the entry with this number; nil as above.
	SignedListPage(ctx context.Context, entry int64) ([]byte, error)
	// SignedListNames gives the file of names next to it; nil as above.
	SignedListNames(ctx context.Context) ([]byte, error)
	// EnvelopeRevisions gives the number of the newest revision of each envelope of a form, by the first version that it is for.
	EnvelopeRevisions(ctx context.Context, formID string) (map[int64]int64, error)
	// Envelope gives a revision, nil where the server says that there is none.
	Envelope(ctx context.Context, formID string, firstVersion, revision int64) ([]byte, error)
	// KeyLog gives all entries of a form's key log; nil where the server says that there is none.
	KeyLog(ctx context.Context, formID string) ([]byte, error)
	// PublishedKeys gives the fingerprints of a form's keys by their versions; nil where the credential may not read them.
	PublishedKeys(ctx context.Context, formID string) (map[int64]PublishedKey, error)
}

// FormReaderOptions say what a reader needs.
type FormReaderOptions struct {
	Source Source
	// Identity is the content of an identity file, as sealpost keys program writes it.
	Identity []byte
	// Heads remembers the newest list and envelopes, for this identity alone.
	Heads Store
	// List is the head that was shown when the recipient was added, NUMBER-HASH. Needed at the first use, and checked at each; empty where it is left out.
	List string
}

// FormReader opens envelopes with an identity, and remembers what it has seen. It may be used by several goroutines at once.
type FormReader struct {
	source     Source
	heads      Store
	identities []age.Identity
	recipients []string
	passedOn   *Head
}

// OpenedEnvelope is an envelope that was opened and checked.
type OpenedEnvelope struct {
	Opened
	FirstVersion int64
	// WrittenBy is the name of the member who wrote it, whose id is Content.SignedBy. It is empty where the service does not show the name that was signed.
	WrittenBy string
	// isNext: it follows what it was compared with by one. isFirst: nothing of its envelope was seen before.
	isNext, isFirst bool
}

// RefusedEnvelope is one of which nothing may be used. Err is a Refusal or a Problem.
type RefusedEnvelope struct {
	FirstVersion int64
	Err          error
}

// OpenedForm has the envelopes of a form; none of any kind where it has none.
type OpenedForm struct {
	Envelopes []OpenedEnvelope
	// ForReading are those of the refused ones whose keys are among Keys: they name an entry of a key log that the service does not show, lack a key that was
	// seen as published, come after one that could not be used, are above an envelope that was refused, and are not an owner's, or are the first of theirs that is
	// seen here, by somebody who may write no longer. And those of envelopes that no published version has reached, which are no part of the form, and not among
	// Refused. They are not remembered.
	ForReading []OpenedEnvelope
	Refused    []RefusedEnvelope
	// SeenAgain are first versions of envelopes that were opened before, when the service did not say which keys the form has: that is forgotten, and they were seen for the
	// first time. It says so until somebody has said to the command line that they know.
	SeenAgain []int64
	// Keys are those to open with: those that the service publishes. Where the credential may not read what it publishes, they are not compared.
	Keys []FormKey
	// OtherKeys are versions for which the service publishes another key than the envelope has, or none where it did before; Missing those that no
	// envelope has.
	OtherKeys, Missing []int64
	// List is nil where the form has no envelope.
	List *List
	// published is nil where the credential may not read it.
	published map[int64]PublishedKey
	// loggedVersion is that of Expected, for the envelope that is being opened.
	loggedVersion int64
	// isForgotten: somebody has put aside what was seen of the form.
	isForgotten bool
}

var listHeadPattern = regexp.MustCompile(`^([1-9]\d{0,9})-([\w-]{43})$`)

const notAnIdentity = "sealpost: Identity is not the content of an identity file: a line AGE-SECRET-KEY-PQ-1… is needed"

// NewFormReader checks the options. An error names the invalid one and never shows its value.
func NewFormReader(options FormReaderOptions) (*FormReader, error) {
	if options.Source == nil || options.Heads == nil {
		return nil, errors.New("sealpost: a reader needs Source and Heads")
	}
	identities, err := age.ParseIdentities(bytes.NewReader(options.Identity))
	if err != nil {
		return nil, errors.New(notAnIdentity)
	}
	reader := &FormReader{source: options.Source, heads: options.Heads, identities: identities}
	for _, identity := range identities {
		hybrid, ok := identity.(*age.HybridIdentity)
		if !ok {
			return nil, errors.New(notAnIdentity)
		}
		reader.recipients = append(reader.recipients, hybrid.Recipient().String())
	}
	if text := strings.TrimSpace(options.List); text != "" {
		match := listHeadPattern.FindStringSubmatch(text)
		number := int64(0)
		if match != nil {
			number, _ = strconv.ParseInt(match[1], 10, 64) // ten digits at most
		}
		if number < 1 || number > numberMax || !isHash(match[2]) {
			return nil, errors.New("sealpost: List is not the head of a list of members: NUMBER-HASH is needed")
		}
		reader.passedOn = &Head{number, match[2]}
	}
	return reader, nil
}

// LoadList fetches the organization's list, checks it and remembers its head. The error is a Refusal or a Problem where it may not be used.
func (reader *FormReader) LoadList(ctx context.Context) (*List, error) {
	known, err := find[string](reader.heads, organizationName)
	if err != nil {
		return nil, err
	}
	if known == "" && reader.passedOn == nil {
		return nil, NotTrusted
	}
	list, err := reader.followList(ctx, known)
	if err != nil {
		return nil, err
	}
	if reader.passedOn != nil && !list.contains(*reader.passedOn) {
		if reader.passedOn.Number > list.Head.Number {
			return nil, OldList
		}
		return nil, Forked
	}
	// The first organization whose list was verified: so a server can't show that of another one, in which its friends are owners.
	if isSame, err := claim(reader.heads, organizationName, list.OrganizationID); err != nil || !isSame {
		return nil, errors.Join(err, ifNot(isSame, OtherOrganization))
	}
	for _, member := range list.Members {
		if slices.Contains(reader.recipients, member.Recipient) {
			return list, nil
		}
	}
	return nil, NotListed
}

func ifNot(isRight bool, refusal Refusal) error {
	if isRight {
		return nil
	}
	return refusal
}

// followList checks the list from the newest head that was seen, or at the first sight from the one that was passed on.
func (reader *FormReader) followList(ctx context.Context, organizationID string) (*List, error) {
	for {
		text, err := reader.source.SignedList(ctx)
		if err != nil {
			return nil, err
		}
		if organizationID == "" {
			organizationID = organizationOf(text)
		}
		head, err := find[*Head](reader.heads, listName(organizationID))
		if err != nil {
			return nil, err
		}
		switch {
		case text == nil && head == nil:
			return nil, NoList
		case text == nil:
			return nil, HiddenList
		}
		trust := Trust{Head: head}
		if head == nil {
			trust.Head = reader.passedOn
		}
		if trust.Head == nil {
			return nil, NotTrusted
		}
		// After the list: they are at least as new.
		names, err := reader.source.SignedListNames(ctx)
		if err != nil {
			return nil, err
		}
		text, err = reader.fetchEarlier(ctx, text)
		if err != nil {
			return nil, err
		}
		list, err := VerifyList(text, names, organizationID, trust)
		if head == nil && (err == Forked || err == OldList) {
			return nil, OtherList // nothing was seen before: it differs from what was passed on
		}
		if err != nil {
			return nil, err
		}
		// Another program has seen a newer list meanwhile: this one has to continue it.
		if isAdvanced, err := advanceList(reader.heads, organizationID, head, list.Head); err != nil || isAdvanced {
			return list, err
		}
	}
}

// pageEntries: a service gives a list in pages of the entries 1 to 4,096, 4,097 to 8,192, and so on.
const pageEntries = 4096

// fetchEarlier gives the newest page with those before it. A server that hides one, or shows another one in its place, is refused.
func (reader *FormReader) fetchEarlier(ctx context.Context, newest []byte) ([]byte, error) {
	pages := [][]byte{newest}
	first := firstNumberOf(newest)
	if first > entriesMax {
		return nil, Malformed
	}
	for last := first - 1; last > 0; last -= pageEntries {
		page, err := reader.source.SignedListPage(ctx, last)
		if err != nil {
			return nil, err
		}
		if bytes.Count(page, []byte("\n")) != 2*pageEntries || firstNumberOf(page) != last-pageEntries+1 {
			return nil, HiddenList
		}
		pages = append(pages, page)
	}
	slices.Reverse(pages)
	return slices.Concat(pages...), nil
}

// firstNumberOf is the number that the first entry gives itself, which is not verified yet; 1 where it gives none.
func firstNumberOf(text []byte) int64 {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var first struct {
		Number int64 `json:"number"`
	}
	if json.Unmarshal(line, &first) != nil || first.Number < 1 {
		return 1
	}
	return first.Number
}

// organizationOf is what the first line says, which is not verified yet: a list is refused where an entry is of another organization.
func organizationOf(text []byte) string {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var first struct {
		OrganizationID string `json:"organizationId"`
	}
	if json.Unmarshal(line, &first) != nil {
		return ""
	}
	return first.OrganizationID
}

// Open opens the envelopes of a form, and remembers them. The error is a Refusal or a Problem where the list of members may not be used, or that of
// Source.
func (reader *FormReader) Open(ctx context.Context, formID string) (*OpenedForm, error) {
	shown, err := reader.source.EnvelopeRevisions(ctx, formID)
	if err != nil {
		return nil, err
	}
	known, err := find[formHeads](reader.heads, formName(formID))
	if err != nil {
		return nil, err
	}
	if len(shown) == 0 && len(known.Heads)+len(known.Unlisted) == 0 {
		return &OpenedForm{}, nil
	}
	list, err := reader.LoadList(ctx)
	if err != nil {
		return nil, err
	}
	if len(known.Heads) > 0 {
		// The command line may have them from before, without a note.
		if _, err := claim(reader.heads, ownerName(formID), known.Heads[0].OrganizationID); err != nil {
			return nil, err
		}
	}
	if owner, err := find[string](reader.heads, ownerName(formID)); err != nil || owner != "" && owner != list.OrganizationID {
		if err == nil {
			err = MovedForm
		}
		return nil, err
	}
	published, err := reader.source.PublishedKeys(ctx, formID)
	if err != nil {
		return nil, err
	}
	if err := dropListed(reader.heads, formID, published); err != nil {
		return nil, err
	}
	opened := &OpenedForm{List: list, published: published, isForgotten: known.IsForgotten}
	keyLog := &formLog{source: reader.source, formID: formID}
	isBeyond := func(firstVersion int64) (bool, error) {
		var err error
		opened.loggedVersion, err = reader.findLogged(ctx, keyLog, firstVersion, published)
		return Expected{Published: published, Others: othersOf(0, known.Heads, nil), LoggedVersion: opened.loggedVersion}.isBeyond(firstVersion), err
	}
	for _, head := range slices.Concat(known.Heads, unlisted(known.Unlisted, published)) {
		if shown[head.FirstVersion] != 0 || known.IsRemoved {
			continue
		}
		isAhead, err := isBeyond(head.FirstVersion)
		if err != nil {
			return nil, err
		}
		if !isAhead {
			opened.Refused = append(opened.Refused, RefusedEnvelope{head.FirstVersion, HiddenEnvelope})
		}
	}
	for _, firstVersion := range slices.Sorted(maps.Keys(shown)) {
		isAhead, err := isBeyond(firstVersion)
		if err != nil {
			return nil, err
		}
		envelope, err := reader.follow(ctx, opened, formID, firstVersion, shown, known.Heads)
		if isRefusal(err) {
			if envelope != nil {
				opened.ForReading = append(opened.ForReading, *envelope)
			}
			if !isAhead { // it is no part of the form
				opened.Refused = append(opened.Refused, RefusedEnvelope{firstVersion, err})
			}
		} else if err != nil {
			return nil, err
		} else {
			opened.Envelopes = append(opened.Envelopes, *envelope)
		}
	}
	kept, err := find[formHeads](reader.heads, formName(formID))
	if err != nil {
		return nil, err
	}
	opened.SeenAgain = kept.SeenAgain
	// Where all of it is kept apart, its organization is not remembered either.
	if len(kept.Heads) > 0 || len(kept.Unlisted) == 0 {
		if _, err := claim(reader.heads, ownerName(formID), list.OrganizationID); err != nil {
			return nil, err
		}
	}
	opened.compare()
	return opened, nil
}

func isRefusal(err error) bool {
	var refusal Refusal
	var problem Problem
	return errors.As(err, &refusal) || errors.As(err, &problem)
}

// missedMax is the most missed revisions that are asked for, the last ones: a server can make up any number.
const missedMax = 256

// errOvertaken: another program has seen a newer revision meanwhile.
var errOvertaken = errors.New("sealpost: another program was faster")

// follow opens one envelope, which has to continue the newest head that was seen. Revisions that were missed are opened first, in order: each says who may
// write the next one. With UnknownKeyLog, with KeyMissing, with OtherPrevious after a gap, with NotAllowed above one that is
// refused, or with FormerWriter where nothing of it was seen, it gives one to read by.
func (reader *FormReader) follow(ctx context.Context, form *OpenedForm, formID string, firstVersion int64, shown map[int64]int64, known []EnvelopeHead) (*OpenedEnvelope, error) {
	for {
		remembered, err := find[formHeads](reader.heads, formName(formID))
		if err != nil {
			return nil, err
		}
		newest := shown[firstVersion]
		next := newest
		if before := findHead(remembered.Heads, firstVersion); before != nil {
			next = min(newest, max(before.Revision+1, newest-missedMax))
		}
		var passed *EnvelopeHead
		for ; next < newest; next++ {
			// One that is refused, or that can't be had, says nothing, and leaves a gap.
			missed, err := reader.followRevision(ctx, form, formID, firstVersion, next, known, passed)
			if err != nil && err != errOvertaken && !isRefusal(err) {
				return nil, err
			}
			if passed, err = reader.passOver(form, missed, err, passed); err != nil {
				return nil, err
			}
		}
		opened, err := reader.followRevision(ctx, form, formID, firstVersion, newest, known, passed)
		if err == FormerWriter && !opened.isFirst {
			return nil, err
		}
		if err != errOvertaken {
			return opened, err
		}
		// This one has to be the newer revision, or to follow.
		known = remembered.Heads
		if shown, err = reader.source.EnvelopeRevisions(ctx, formID); err != nil {
			return nil, err
		}
	}
}

// passOver gives what the next revision is compared with after one that opens but for its key log, or for its writer, who may write no longer by now: what was
// seen, with the readers of that one. So it is no gap; who it has let in is doubtful, and who it has left out is no reader.
func (reader *FormReader) passOver(form *OpenedForm, missed *OpenedEnvelope, reason error, before *EnvelopeHead) (*EnvelopeHead, error) {
	// A former key after a gap would wash it away: between may be what has taken its owner out.
	if reason != UnknownKeyLog && reason != FormerWriter || missed == nil || !missed.isNext {
		return nil, nil
	}
	if before == nil {
		remembered, err := find[formHeads](reader.heads, formName(missed.Head.FormID))
		if err != nil {
			return nil, err
		}
		if before = findHead(remembered.Heads, missed.FirstVersion); before == nil {
			return nil, nil
		}
	}
	passed := *before
	passed.Revision, passed.Hash, passed.Readers = missed.Head.Revision, missed.Head.Hash, nil
	for _, reader := range missed.Head.Readers {
		index := slices.IndexFunc(before.Readers, func(seen SeenReader) bool { return seen.ID == reader.ID })
		next := SeenReader{ID: reader.ID, IsDoubtful: true}
		if index != -1 {
			next = before.Readers[index]
		}
		passed.Readers = append(passed.Readers, next)
	}
	return &passed, nil
}

func (reader *FormReader) followRevision(ctx context.Context, form *OpenedForm, formID string, firstVersion, revision int64, known []EnvelopeHead, passed *EnvelopeHead) (*OpenedEnvelope, error) {
	remembered, err := find[formHeads](reader.heads, formName(formID))
	if err != nil {
		return nil, err
	}
	before, apart := findHead(remembered.Heads, firstVersion), remembered.findApart(form.published, firstVersion)
	file, err := reader.source.Envelope(ctx, formID, firstVersion, revision)
	if err != nil {
		return nil, err
	}
	if file == nil {
		return nil, HiddenEnvelope
	}
	expected := Expected{FormID: formID, FirstVersion: firstVersion, Revision: revision, List: form.List, Published: form.published, Newest: before,
		Others: othersOf(firstVersion, remembered.Heads, known), LoggedVersion: form.loggedVersion,
		IsAboveRefused: form.isAboveRefused(firstVersion), IsForgotten: form.isForgotten}
	if passed != nil {
		expected.Newest, expected.IsPassed = passed, true
	}
	givenUp, err := find[[]string](reader.heads, givenUpName(formID))
	if err != nil {
		return nil, err
	}
	expected = expected.withoutLogs(givenUp)
	seen, err := reader.openWith(file, expected)
	if err == UnknownList {
		// Its writer had a newer list than was fetched a moment ago.
		if form.List, err = reader.LoadList(ctx); err != nil {
			return nil, err
		}
		expected.List = form.List
		seen, err = reader.openWith(file, expected)
	}
	if err != nil && passed != nil {
		expected.Newest, expected.IsPassed = before, false
		expected = expected.withoutLogs(givenUp)
		seen, err = reader.openWith(file, expected)
	}
	keyLog := &formLog{source: reader.source, formID: formID}
	if err == KeyMissing && expected.isFirstSight() {
		if seen, err = reader.openByLog(ctx, keyLog, file, expected, givenUp); err != nil && !isRefusal(err) {
			return nil, err
		}
	}
	isOfFormer := func(one *Opened) bool {
		return one.IsByFormer && before != nil && one.Head.Hash != before.Hash && !hasKeys(seenBefore(known, before), one.Head)
	}
	isBeyond := expected.isBeyond(firstVersion)
	if reason := err; reason == KeyMissing || reason == NotAllowed && (expected.IsAboveRefused || isBeyond) {
		if isBeyond {
			expected.Published = nil
		}
		// The keys that are there open submissions: nobody is shut out of reading by what another writer has left out, or by an envelope below.
		if expected.Newest != nil {
			newest := *expected.Newest
			newest.Keys, expected.Newest = nil, &newest
		}
		expected.IsForgotten, expected.IsAboveRefused = true, false
		lacking, err := reader.openWith(file, expected)
		if err != nil || isOfFormer(lacking) {
			return nil, reason
		}
		return form.toOpened(lacking), reason
	}
	if err != nil {
		return nil, err
	}
	if err := seen.Head.refusesBy(apart); err != nil {
		return nil, err
	}
	opened := form.toOpened(seen)
	opened.isNext = expected.Newest != nil && seen.Head.Revision == expected.Newest.Revision+1
	opened.isFirst = before == nil
	// With the server, a member who was removed can continue to write, under the list from before. Nobody says here that what they have written is right.
	isKnown := apart != nil && apart.Hash == seen.Head.Hash
	if isOfFormer(seen) || seen.IsByFormer && opened.isFirst && !isKnown {
		return opened, FormerWriter
	}
	// A revision between that is not known here may have taken its signer out.
	if newest := expected.Newest; newest != nil && seen.Head.Revision > newest.Revision+1 && !seen.IsByOwner {
		return opened, OtherPrevious
	}
	last := before
	if last == nil {
		last = findLast(expected.Others, firstVersion-1)
	}
	isShown, log, err := reader.showsLog(ctx, keyLog, seen, last)
	if err != nil {
		return nil, err
	}
	if !isShown {
		return opened, UnknownKeyLog
	}
	// A manager's may lack keys that the service denies: where nothing was seen, its list is not asked alone.
	isAsked := opened.isFirst && !form.isForgotten && !seen.IsByOwner
	if isAsked && log != nil && seen.Content.lacksNamed(log) {
		return opened, KeyMissing
	}
	isUnlisted := isAsked && !listsAny(form.published, firstVersion)
	isByDoubtful := expected.Newest != nil && slices.ContainsFunc(expected.Newest.Readers, func(reader SeenReader) bool {
		return reader.IsDoubtful && reader.ID == seen.Content.SignedBy
	})
	by := signer{seen.IsByFormer || isByDoubtful, slices.Contains(reader.recipients, form.List.Members[seen.Content.SignedBy].Recipient)}
	opened.Head = seen.Head.settled(before, form.published, by)
	isLogAsked := opened.Head.asksLog(seen.Content, before) || seen.Head.KeyLog != nil && opened.Head.hasAhead()
	if isLogAsked && !slices.Contains(givenUp, opened.Head.KeyLog.Hash) {
		log, err := keyLog.naming(ctx, *opened.Head.KeyLog)
		if err != nil {
			return nil, err
		}
		opened.Head = opened.Head.settledByOwners(seen.Head, log, form.List).settledByLog(seen.Content, before, log)
	}
	last = before
	if isUnlisted {
		last = apart
	}
	isAdvanced, err := advanceEnvelope(reader.heads, last, opened.Head, isUnlisted)
	if err != nil {
		return nil, err
	}
	if !isAdvanced {
		return nil, errOvertaken
	}
	return opened, nil
}

// withoutLogs gives what a revision is compared with: a log of which somebody has said that it was given up is none.
func (expected Expected) withoutLogs(givenUp []string) Expected {
	isGivenUp := func(head EnvelopeHead) bool {
		return head.KeyLog != nil && slices.Contains(givenUp, head.KeyLog.Hash)
	}
	if expected.Newest != nil && isGivenUp(*expected.Newest) {
		newest := *expected.Newest
		newest.KeyLog, expected.Newest = nil, &newest
	}
	expected.Others = slices.Clone(expected.Others)
	for index, other := range expected.Others {
		if isGivenUp(other.EnvelopeHead) {
			expected.Others[index].KeyLog = nil
		}
	}
	return expected
}

// isAboveRefused says whether an envelope with a lower first version was refused, or is hidden.
func (form *OpenedForm) isAboveRefused(firstVersion int64) bool {
	return slices.ContainsFunc(form.Refused, func(refused RefusedEnvelope) bool { return refused.FirstVersion < firstVersion })
}

// seenBefore has what was seen of the form: revisions that were missed have been seen by now.
func seenBefore(known []EnvelopeHead, before *EnvelopeHead) []EnvelopeHead {
	if before == nil {
		return known
	}
	return slices.Concat(known, []EnvelopeHead{*before})
}

// writerOf gives the writer as the list had them.
func (form *OpenedForm) writerOf(seen *Opened) Member {
	then, _ := form.List.membersAt(seen.Content.List)
	return then[seen.Content.SignedBy]
}

func (form *OpenedForm) toOpened(seen *Opened) *OpenedEnvelope {
	return &OpenedEnvelope{Opened: *seen, FirstVersion: seen.Content.FirstVersion, WrittenBy: form.writerOf(seen).Name}
}

// showsLog says whether the service shows the entry of a key log that a revision names, which may be made up, and gives that log if it was fetched. A manager's has
// to be in the same log as the one of before, the head that it is compared with, also where it is of a log that was given up: an owner alone leaves one.
func (reader *FormReader) showsLog(ctx context.Context, shown *formLog, seen *Opened, before *EnvelopeHead) (bool, *KeyLog, error) {
	named := seen.Content.KeyLog
	var former *Head
	if before != nil {
		former = before.KeyLog
	}
	if named == nil || former != nil && before.FirstVersion == seen.Content.FirstVersion && *named == *former {
		return true, nil, nil
	}
	givenUp, err := find[[]string](reader.heads, givenUpName(seen.Content.FormID))
	if err != nil {
		return false, nil, err
	}
	isLeft := former == nil || seen.IsByOwner || slices.Contains(givenUp, former.Hash)
	if isLeft && slices.Contains(givenUp, named.Hash) {
		return true, nil, nil
	}
	log, err := shown.naming(ctx, *named)
	if err != nil || log == nil {
		return false, nil, err
	}
	return isLeft || log.contains(*former), log, nil
}

// formLog is the key log of a form as the service shows it, which is asked for once.
type formLog struct {
	source  Source
	formID  string
	isAsked bool
	// log is nil where the service shows none that is in order.
	log *KeyLog
}

// naming gives the key log of which a revision names this entry; nil where the service does not show it.
func (shown *formLog) naming(ctx context.Context, named Head) (*KeyLog, error) {
	if !shown.isAsked {
		text, err := shown.source.KeyLog(ctx, shown.formID)
		if err != nil {
			return nil, err
		}
		shown.isAsked = true
		if log, err := VerifyKeyLog(text, shown.formID, nil); err == nil {
			shown.log = log
		}
	}
	if shown.log == nil || !shown.log.contains(named) {
		return nil, nil
	}
	return shown.log, nil
}

// findLogged gives the newest version that the form's key log names, where the form head names an entry of it; otherwise 0. It is asked only about an envelope that
// would be ahead of its time without it: the service may deny that version.
func (reader *FormReader) findLogged(ctx context.Context, shown *formLog, firstVersion int64, published map[int64]PublishedKey) (int64, error) {
	remembered, err := find[formHeads](reader.heads, formName(shown.formID))
	if err != nil {
		return 0, err
	}
	expected := Expected{Published: published, Others: othersOf(0, remembered.Heads, nil)}
	if !expected.isBeyond(firstVersion) {
		return 0, nil
	}
	givenUp, err := find[[]string](reader.heads, givenUpName(shown.formID))
	if err != nil {
		return 0, err
	}
	reached := slices.DeleteFunc(slices.Clone(expected.Others), func(other OtherHead) bool { return expected.isBeyond(other.FirstVersion) })
	last := findLast(reached, versionMax)
	if last == nil || last.KeyLog == nil || slices.Contains(givenUp, last.KeyLog.Hash) {
		return 0, nil
	}
	log, err := shown.naming(ctx, *last.KeyLog)
	if err != nil || log == nil {
		return 0, err
	}
	return log.Newest.Key.Version, nil
}

// othersOf gives the other envelopes of the form as they are now, with the lists that they named in known, before the first of them was opened: they are
// written one after the other.
func othersOf(firstVersion int64, remembered, known []EnvelopeHead) (others []OtherHead) {
	for _, head := range remembered {
		if head.FirstVersion == firstVersion {
			continue
		}
		before := findHead(known, head.FirstVersion)
		if before != nil {
			head.List = before.List
		}
		others = append(others, OtherHead{head, before == nil})
	}
	return others
}

// openWith takes the identity that is a reader's, of those in one file.
func (reader *FormReader) openWith(file []byte, expected Expected) (*Opened, error) {
	err := error(NotAReader)
	for _, identity := range reader.identities {
		var opened *Opened
		if opened, err = Open(file, identity, expected); err != NotAReader {
			return opened, err
		}
	}
	return nil, err
}

// hasKeys says whether all keys of head were seen before, with their seeds, in one of the form's envelopes.
func hasKeys(known []EnvelopeHead, head EnvelopeHead) bool {
	for _, key := range head.Keys {
		isKnown := slices.ContainsFunc(known, func(one EnvelopeHead) bool {
			return slices.ContainsFunc(one.Keys, func(other SeenKey) bool {
				return other.isSameRSA(key) && isEqual(key.HybridFingerprint, other.HybridFingerprint)
			})
		})
		if !isKnown {
			return false
		}
	}
	return true
}

// compare sorts the keys by what the service publishes, if that is known.
func (form *OpenedForm) compare() {
	published := form.published
	held := map[int64]bool{}
	for _, envelope := range slices.Concat(form.Envelopes, form.ForReading) {
		for _, key := range envelope.Content.Keys {
			held[key.Version] = true
			if published == nil || published[key.Version].Fingerprint == key.Fingerprint {
				form.Keys = append(form.Keys, key)
			} else if published[key.Version].Fingerprint != "" || envelope.Head.isPublished(key.Version) {
				form.OtherKeys = append(form.OtherKeys, key.Version)
			}
		}
	}
	for version := range published {
		if !held[version] {
			form.Missing = append(form.Missing, version)
		}
	}
	slices.Sort(form.Missing)
}

// isPublished says whether the key of this version was ever seen among the form's public keys.
func (head EnvelopeHead) isPublished(version int64) bool {
	return slices.ContainsFunc(head.Keys, func(key SeenKey) bool { return key.Version == version && key.IsPublished })
}

// String never shows a key.
func (form *OpenedForm) String() string {
	return fmt.Sprintf("%d envelopes, %d refused, %d keys", len(form.Envelopes), len(form.Refused), len(form.Keys))
}

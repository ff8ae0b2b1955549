package envelope

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"filippo.io/age"
)

// PrivateKey is an RSA private key as JWK.
type PrivateKey struct {
	Kty string `json:"kty"`
	N   string `json:"n"`
	E   string `json:"e"`
	D   string `json:"d"`
	P   string `json:"p"`
	Q   string `json:"q"`
	DP  string `json:"dp"`
	DQ  string `json:"dq"`
	QI  string `json:"qi"`
}

// HybridPrivateKey is a hybrid private key as JWK.
type HybridPrivateKey struct {
	Kty  string `json:"kty"`
	Alg  string `json:"alg"`
	Pub  string `json:"pub"`
	Priv string `json:"priv"`
}

// FormKey has the private keys of one key version. As JSON, PrivateKey and HybridPrivateKey are what sealpost-go imports.
type FormKey struct {
	Version           int64             `json:"version"`
	Fingerprint       string            `json:"fingerprint"`
	PrivateKey        PrivateKey        `json:"privateKey"`
	HybridFingerprint *string           `json:"hybridFingerprint"`
	HybridPrivateKey  *HybridPrivateKey `json:"hybridPrivateKey"`
	// Seed is base64url of 32 bytes, from which follows everything else that the form's readers share.
	Seed string `json:"seed"`
}

// Reader is who can open an envelope. Fingerprint is the hash of the recipient's text, By the id of the member who put this reader there; nil where the writer
// could not tell.
type Reader struct {
	ID          string  `json:"id"`
	Fingerprint string  `json:"fingerprint"`
	By          *string `json:"by"`
}

// Content is what the writer of an envelope signed.
type Content struct {
	Format         string    `json:"format"`
	OrganizationID string    `json:"organizationId"`
	FormID         string    `json:"formId"`
	FormName       string    `json:"formName"`
	FirstVersion   int64     `json:"firstVersion"`
	Revision       int64     `json:"revision"`
	Previous       *string   `json:"previous"`
	List           Head      `json:"list"`
	KeyLog         *Head     `json:"keyLog"`
	Keys           []FormKey `json:"keys"`
	Readers        []Reader  `json:"readers"`
	WrittenAt      string    `json:"writtenAt"`
	SignedBy       string    `json:"signedBy"`
	Extended
}

// SeenKey names the keys of one key version, and the hash of its seed.
type SeenKey struct {
	Version           int64   `json:"version"`
	Fingerprint       string  `json:"fingerprint"`
	HybridFingerprint *string `json:"hybridFingerprint"`
	// SeedHash is nil where the form's key log names another seed than the envelope has, which is not remembered.
	SeedHash *string `json:"seedHash"`
	// IsPublished says whether it was ever seen among the form's public keys; otherwise a rotation may put another key in its place.
	IsPublished bool `json:"isPublished"`
	// IsAhead says that it was seen in this very revision before the service listed it: somebody has put it there ahead of its time.
	IsAhead bool `json:"isAhead,omitempty"`
	// IsUnproven says that it counts as published but for this: nobody who may write has vouched for it here.
	IsUnproven bool `json:"isUnproven,omitempty"`
}

// SeenReader is a reader, and the member who put them there; nil where nothing proves who. IsDoubtful says that nobody but a former signer, one who is
// doubtful, or a revision that was refused, has put them there since the form was seen: the next revision is not for them.
type SeenReader struct {
	ID         string  `json:"id"`
	By         *string `json:"by"`
	IsDoubtful bool    `json:"isDoubtful,omitempty"`
}

// EnvelopeHead is the newest revision that was seen, to be remembered: JSON, without anything secret.
type EnvelopeHead struct {
	OrganizationID string       `json:"organizationId"`
	FormID         string       `json:"formId"`
	FormName       string       `json:"formName"`
	FirstVersion   int64        `json:"firstVersion"`
	Revision       int64        `json:"revision"`
	Hash           string       `json:"hash"`
	List           Head         `json:"list"`
	KeyLog         *Head        `json:"keyLog"`
	Readers        []SeenReader `json:"readers"`
	Keys           []SeenKey    `json:"keys"`
}

// PublishedKey has the fingerprints of a version, as the service lists it. HybridFingerprint is empty where it has no hybrid key.
type PublishedKey = struct{ Fingerprint, HybridFingerprint string }

// OtherHead is the head of another envelope of the same form. IsOpenedNow: it was opened a moment ago, and not before. Writers write one envelope after the
// other, so its list may be newer than that of the one after it.
type OtherHead struct {
	EnvelopeHead
	IsOpenedNow bool `json:"isOpenedNow"`
}

// Expected is what an envelope has to agree with. Revision is the number under which the service keeps it; KeyLog has the heads of the form's key log
// that are known; where it is nil nobody has asked for the log, and nothing is compared with it. Published has the form's keys by their versions, as the
// service lists them; where it is nil nobody has asked for them, and no key becomes published. Newest and Others are the form head, all that was seen of the form:
// this envelope, which is nil at its first sight, and the others. IsAboveRefused: an envelope below this one, which was seen or which the service shows, has not
// opened by its newest revision. IsForgotten: somebody has put the form head aside. LoggedVersion is the newest version that the form's key log names, where the form
// head names an entry of it; 0 where no such log is known.
type Expected struct {
	FormID       string
	FirstVersion int64
	Revision     int64
	List         *List
	KeyLog       []Head
	Published    map[int64]PublishedKey
	Newest       *EnvelopeHead
	Others       []OtherHead

	IsAboveRefused, IsForgotten bool
	// IsPassed says that Newest is what a refused revision left: it has the readers of that one, and proves nothing about those who were changed since.
	IsPassed      bool
	LoggedVersion int64
}

// Opened is an envelope that was opened. Outdated has the ids of readers who have left since, or got other keys or fewer rights. IsByOwner: its
// writer was an owner then, and has been since, as far as the list says; IsByFormer: its writer may write no longer, or has had another signing key since.
type Opened struct {
	Content               Content
	Head                  EnvelopeHead
	Outdated              []string
	IsByOwner, IsByFormer bool
}

const (
	// jwkTextMax is the length of the longest number of a JWK: 4,096 bits in base64url.
	jwkTextMax     = 683
	hybridPubText  = 1622
	hybridPrivText = 43
	versionMax     = 1<<31 - 1
	revisionMax    = 1<<31 - 1
	// othersMax are the readers who are no recovery keys: the other places are for those.
	othersMax = 56
	// revisionStepsMax is as far as a revision may be above the newest that was seen of its envelope: numbers never fall.
	revisionStepsMax = 1_048_576
	// managersRevisionMax is the last revision that a manager writes.
	managersRevisionMax = 3<<29 - 1
)

var (
	stanzaLine = regexp.MustCompile(`^-> mlkem768x25519 (\S+)$`)
	jwkText    = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)
	age64      = base64.RawStdEncoding.Strict()
)

const (
	// shareBytes are those of a stanza's one argument: HPKE's encapsulated secret, which ends with a public key of X25519.
	shareBytes = 1120
	// wrappedBytes are a file key and its tag.
	wrappedBytes = 32
)

// Open opens an envelope with a reader's identity of age. The error is a Refusal; nothing of a refused envelope may be used.
func Open(file []byte, identity age.Identity, expected Expected) (*Opened, error) {
	stanzas, ok := countStanzas(file)
	if !ok {
		return nil, Malformed
	}
	text, err := decrypt(file, identity)
	if err != nil {
		return nil, err
	}
	lines, ok := splitLines(text)
	if !ok || len(lines) != 2 {
		return nil, Malformed
	}
	var content Content
	signature, isSignature := parseSignature(lines[1])
	if !isSignature || !parseLine(lines[0], &content) || !content.isWellFormed() {
		return nil, Malformed
	}
	isBeyond := expected.isBeyond(expected.FirstVersion)
	expected.Others = slices.DeleteFunc(slices.Clone(expected.Others), func(other OtherHead) bool { return expected.isBeyond(other.FirstVersion) })
	head := content.head(hashOf(file), expected)
	if err := content.check(lines[0], signature, stanzas, head, expected, isBeyond); err != nil {
		return nil, err
	}
	opened := &Opened{Content: content, Head: head, Outdated: content.outdated(expected.List), IsByOwner: content.isOwners(expected.List)}
	opened.IsByFormer = content.isSignerChanged(expected.List, memberChange.endsWriting)
	return opened, nil
}

// countStanzas gives the number of recipients, before any key is computed. Their stanzas have to be those of hybrid
// recipients, each of the form that it has, whoever it is for.
func countStanzas(file []byte) (int, bool) {
	end := bytes.Index(file, []byte("\n--- "))
	if len(file) > fileBytesMax || end == -1 {
		return 0, false
	}
	lines := strings.Split(string(file[:end]), "\n")
	count := (len(lines) - 1) / 2
	if lines[0] != "age-encryption.org/v1" || len(lines)%2 == 0 || count == 0 || count > readersMax {
		return 0, false
	}
	for index := 1; index < len(lines); index += 2 {
		if !isStanza(lines[index], lines[index+1]) {
			return 0, false
		}
	}
	return count, true
}

func isStanza(first, body string) bool {
	match := stanzaLine.FindStringSubmatch(first)
	if match == nil {
		return false
	}
	share, shareError := age64.DecodeString(match[1])
	wrapped, bodyError := age64.DecodeString(body)
	isWhole := shareError == nil && bodyError == nil && len(wrapped) == wrappedBytes && len(share) == shareBytes
	return isWhole && endsWithX25519Key(share)
}

func decrypt(file []byte, identity age.Identity) ([]byte, error) {
	reader, err := age.Decrypt(bytes.NewReader(file), identity)
	if noMatch := new(age.NoIdentityMatchError); errors.As(err, &noMatch) {
		return nil, NotAReader
	}
	if err != nil {
		return nil, Malformed
	}
	text, err := io.ReadAll(reader)
	if err != nil || !utf8.Valid(text) {
		return nil, Malformed
	}
	return text, nil
}

func (content Content) isWellFormed() bool {
	isFirst := content.Revision == 1
	isWhole := content.Format == envelopeFormat && accountPattern.MatchString(content.OrganizationID) &&
		formPattern.MatchString(content.FormID) &&
		namePattern.MatchString(content.FormName) && isCount(content.FirstVersion) && firstVersionOf(content.FirstVersion) == content.FirstVersion &&
		isCount(content.Revision) && content.Revision <= revisionMax && isFirst == (content.Previous == nil) &&
		(isFirst || isHash(*content.Previous)) && isHead(content.List) && (content.KeyLog == nil || isHead(*content.KeyLog)) &&
		isTime(content.WrittenAt) && idPattern.MatchString(content.SignedBy) && content.Extended.isWellFormed(envelopeExtensionsBytesMax) &&
		content.Keys != nil && len(content.Keys) <= keysMax && len(content.Readers) >= 1 && len(content.Readers) <= readersMax
	for index, key := range content.Keys {
		isWhole = isWhole && key.isWellFormed() && firstVersionOf(key.Version) == content.FirstVersion && (index == 0 || key.Version > content.Keys[index-1].Version)
	}
	for index, reader := range content.Readers {
		isWhole = isWhole && idPattern.MatchString(reader.ID) && (reader.By == nil || idPattern.MatchString(*reader.By)) && isHash(reader.Fingerprint) &&
			(index == 0 || reader.ID > content.Readers[index-1].ID)
	}
	return isWhole
}

func isHead(head Head) bool { return isCount(head.Number) && isHash(head.Hash) }

// firstVersionOf says which envelope of a form a version is in: it is called by the first of its 32 versions.
func firstVersionOf(version int64) int64 { return version - (version-1)%keysMax }

func (key FormKey) isWellFormed() bool {
	rsa := key.PrivateKey
	texts := []string{rsa.N, rsa.D, rsa.P, rsa.Q, rsa.DP, rsa.DQ, rsa.QI}
	hasHybrid := key.HybridPrivateKey != nil
	if hasHybrid {
		hybrid := *key.HybridPrivateKey
		if len(hybrid.Pub) != hybridPubText || len(hybrid.Priv) != hybridPrivText || !jwkText.MatchString(hybrid.Pub+hybrid.Priv) {
			return false
		}
	}
	for _, text := range texts {
		if len(text) > jwkTextMax || !jwkText.MatchString(text) {
			return false
		}
	}
	if hasHybrid != (key.HybridFingerprint != nil) || !isCount(key.Version) || key.Version > versionMax || !isHash(key.Fingerprint) ||
		!isHash(key.Seed) || rsa.Kty != "RSA" || rsa.E != "AQAB" {
		return false
	}
	return !hasHybrid || isHash(*key.HybridFingerprint) && key.HybridPrivateKey.Kty == "AKP" && key.HybridPrivateKey.Alg == "MLKEM768-X25519"
}

func (content Content) check(line, signature []byte, stanzas int, head EnvelopeHead, expected Expected, isBeyond bool) error {
	list := expected.List
	if content.OrganizationID != list.OrganizationID || content.FormID != expected.FormID || content.FirstVersion != expected.FirstVersion {
		return OtherForm
	}
	if content.Revision != expected.Revision || content.Revision > expected.seenRevision()+revisionStepsMax {
		return WrongRevision
	}
	members, ok := list.membersAt(content.List)
	if !ok {
		return UnknownList
	}
	writer, ok := members[content.SignedBy]
	if !ok || writer.SigningKey == nil || !isSigned(envelopeFormat, line, signature, *writer.SigningKey) {
		return NotSigned
	}
	if !roles[writer.Role].signs {
		return NotAllowed
	}
	isByOwner := content.isOwners(list)
	if content.Revision > managersRevisionMax && !isByOwner {
		return NotAllowed
	}
	if content.hasCritical() && !isByOwner {
		return NotAllowed
	}
	if content.hasCritical() {
		return UnknownExtension
	}
	if stanzas != len(content.Readers) || !content.hasReadersOf(members) {
		return WrongReaders
	}
	if isBeyond {
		return NotAllowed
	}
	if err := content.continues(head, expected, isByOwner); err != nil {
		return err
	}
	for _, key := range content.Keys {
		if !key.isRight() {
			return WrongKey
		}
	}
	if !isByOwner && expected.isFirstSight() && expected.lacksPublished(content) {
		return KeyMissing
	}
	if content.KeyLog != nil && expected.KeyLog != nil && !slices.Contains(expected.KeyLog, *content.KeyLog) {
		return UnknownKeyLog
	}
	return nil
}

// seenRevision is that of the head of this envelope; 0 where nothing of it was seen.
func (expected Expected) seenRevision() int64 {
	if expected.Newest == nil {
		return 0
	}
	return expected.Newest.Revision
}

// isBeyond says whether the envelope that begins with this version was begun ahead of its time: no version that the service lists, that was seen as published, or
// that the key log names, has reached it. It is no part of the form. Where the list is not known, or empty, nobody can tell.
func (expected Expected) isBeyond(firstVersion int64) bool {
	if len(expected.Published) == 0 {
		return false
	}
	newest := max(expected.LoggedVersion, slices.Max(slices.Collect(maps.Keys(expected.Published))))
	note := func(keys []SeenKey) {
		for _, key := range keys {
			if key.IsPublished {
				newest = max(newest, key.Version)
			}
		}
	}
	for _, other := range expected.Others {
		note(other.Keys)
	}
	if expected.Newest != nil {
		note(expected.Newest.Keys)
	}
	return firstVersion > newest
}

// isBegun says whether an envelope of which nothing was seen is above all that was: somebody has begun it since. Of a form that was not seen, any but the lowest.
func (expected Expected) isBegun() bool {
	if last := findLast(expected.Others, versionMax); last != nil {
		return expected.Newest == nil && expected.FirstVersion > last.FirstVersion
	}
	return expected.Newest == nil && expected.IsAboveRefused // of a form that was not seen, those that open are seen by now
}

func (expected Expected) isFirstSight() bool {
	return expected.Newest == nil && !expected.IsForgotten
}

// lacksPublished says whether a published key that has its place in this envelope is missing: a manager may have written it who never read the form, and has put
// keys of their own in the place of the form's.
func (expected Expected) lacksPublished(content Content) bool {
	for version, listed := range expected.Published {
		isHeld := slices.ContainsFunc(content.Keys, func(key FormKey) bool {
			isHybrid := listed.HybridFingerprint == "" || key.HybridFingerprint != nil && *key.HybridFingerprint == listed.HybridFingerprint
			return key.Version == version && key.Fingerprint == listed.Fingerprint && isHybrid
		})
		if firstVersionOf(version) == content.FirstVersion && !isHeld {
			return true
		}
	}
	return false
}

// lacksNamed says whether a key of its versions is missing that the form's key log names, and that the service may deny: one that its writer has seen in the log, or
// one below the newest that it has of the log.
func (content Content) lacksNamed(log *KeyLog) bool {
	isHeld := func(named LoggedKey) bool {
		return slices.ContainsFunc(content.Keys, func(key FormKey) bool { return key.Version == named.Version && key.Fingerprint == named.Fingerprint })
	}
	newest := int64(0)
	for _, entry := range log.Entries {
		if isHeld(entry.Key) {
			newest = max(newest, entry.Key.Version)
		}
	}
	return slices.ContainsFunc(log.Entries, func(entry KeyLogEntry) bool {
		isAsked := entry.Number <= content.KeyLog.Number || entry.Key.Version < newest
		return isAsked && firstVersionOf(entry.Key.Version) == content.FirstVersion && !isHeld(entry.Key)
	})
}

// isOwners says whether an envelope is an owner's: its writer was one then, and has been since. Whoever was an owner once could name a list from before.
func (content Content) isOwners(list *List) bool {
	then, _ := list.membersAt(content.List)
	return then[content.SignedBy].Role == "owner" && !content.isSignerChanged(list, memberChange.endsOwning)
}

// isSignerChanged says whether an entry after the list of this revision changes its signer so, whatever they are by now.
func (content Content) isSignerChanged(list *List, isSo func(memberChange) bool) bool {
	return content.changedSince(list, isSo)[content.SignedBy]
}

func (content Content) changedSince(list *List, isSo func(memberChange) bool) map[string]bool {
	return list.changedBetween(content.List.Number, list.Head.Number, isSo)
}

func (content Content) hasReadersOf(members map[string]Member) bool {
	recoveryKeys, others := 0, 0
	for _, reader := range content.Readers {
		member, ok := members[reader.ID]
		if !ok || !roles[member.Role].reads || hashOf([]byte(member.Recipient)) != reader.Fingerprint {
			return false
		}
		if member.Role == "recovery" {
			recoveryKeys++
		} else {
			others++
		}
	}
	for _, member := range members {
		if member.Role == "recovery" {
			recoveryKeys--
		}
	}
	return recoveryKeys == 0 && others <= othersMax
}

// continues compares with what was seen of the form.
func (content Content) continues(head EnvelopeHead, expected Expected, isByOwner bool) error {
	newest, before := expected.Newest, expected.head()
	lower := newest
	if newest == nil {
		lower = findLast(expected.Others, content.FirstVersion-1)
	}
	isRead := before != nil && content.isByReader(*before, expected.List)
	switch {
	case before != nil && (before.FormID != content.FormID || newest != nil && newest.FirstVersion != content.FirstVersion):
		return OtherForm
	case before != nil && before.OrganizationID != content.OrganizationID:
		return OtherForm
	case content.hasOlderList(expected):
		return OldList
	case !content.hasLaterLog(lower) && !isByOwner: // an owner may have given the log up
		return OldKeyLog
	case newest != nil:
		return content.follows(head, *newest, expected.Published, isByOwner || isRead)
	case expected.isBegun() && !isByOwner && (!isRead || expected.IsAboveRefused): // with keys of their own, or hiding that they were taken out
		return NotAllowed
	}
	return nil
}

// head is the part of the form head with which an envelope is compared; nil where nothing of the form was seen.
func (expected Expected) head() *EnvelopeHead {
	if expected.Newest != nil {
		return expected.Newest
	}
	return findLast(expected.Others, versionMax)
}

// findLast gives the one with the newest keys, of those up to this version.
func findLast(heads []OtherHead, upTo int64) (last *EnvelopeHead) {
	for _, head := range heads {
		if head.FirstVersion <= upTo && (last == nil || head.FirstVersion > last.FirstVersion) {
			last = &head.EnvelopeHead
		}
	}
	return last
}

// hasOlderList compares with the list of this envelope or, at its first sight, with those of the envelopes before it.
func (content Content) hasOlderList(expected Expected) bool {
	isOlder := func(head EnvelopeHead) bool {
		return content.List.Number < head.List.Number
	}
	if expected.Newest != nil {
		return isOlder(*expected.Newest)
	}
	return slices.ContainsFunc(expected.Others, func(head OtherHead) bool {
		return head.FirstVersion < content.FirstVersion && !head.IsOpenedNow && isOlder(head.EnvelopeHead)
	})
}

func (content Content) hasLaterLog(before *EnvelopeHead) bool {
	return before == nil || before.KeyLog == nil || content.KeyLog != nil && content.KeyLog.Number >= before.KeyLog.Number
}

func (head EnvelopeHead) hasReader(id string) bool {
	return slices.ContainsFunc(head.Readers, func(reader SeenReader) bool { return reader.ID == id })
}

// isByReader says whether the signer reads the head. Anyone taken out of the list since was let in again by somebody who may not read the form.
func (content Content) isByReader(before EnvelopeHead, list *List) bool {
	if !before.hasReader(content.SignedBy) {
		return false
	}
	takenOut := list.changedBetween(before.List.Number, content.List.Number, func(change memberChange) bool {
		return change.isLeaving() || change.hasOtherRecipient() && change.isByOthers()
	})
	return !takenOut[content.SignedBy]
}

// follows compares with the newest revision that was seen.
func (content Content) follows(head, newest EnvelopeHead, published map[int64]PublishedKey, mayFollow bool) error {
	steps := content.Revision - newest.Revision
	isNext := steps != 1 || content.Previous != nil && *content.Previous == newest.Hash
	switch {
	case steps < 0:
		return OldRevision
	case steps == 0 && head.Hash != newest.Hash:
		return Forked
	case !isNext: // its writer may have written anything there
		return OtherPrevious
	case steps > 0 && !mayFollow: // anyone who has come in between has done so by a revision that was opened, or by one that was refused
		return NotAllowed
	}
	for _, key := range newest.Keys {
		if !head.keeps(key) && (key.IsPublished || !head.mayLack(key, newest, published)) {
			return KeyMissing
		}
	}
	return nil
}

// keeps lets a hybrid key be added, and that of a key that is not published be any.
func (head EnvelopeHead) keeps(key SeenKey) bool {
	return slices.ContainsFunc(head.Keys, func(other SeenKey) bool {
		return key.isSameRSA(other) && (!key.IsPublished || key.HybridFingerprint == nil || isSame(other.HybridFingerprint, key.HybridFingerprint))
	})
}

// isSameRSA compares with the seed that was seen, unless none is remembered.
func (seen SeenKey) isSameRSA(key SeenKey) bool {
	return seen.Version == key.Version && seen.Fingerprint == key.Fingerprint && (seen.SeedHash == nil || isSame(seen.SeedHash, key.SeedHash))
}

// mayLack says whether a key that was never published may be gone: the published one of its version is in its place, or it is above all that were seen as
// published, whatever the service lists by now. Where its list is not known, nobody can tell.
func (head EnvelopeHead) mayLack(key SeenKey, newest EnvelopeHead, published map[int64]PublishedKey) bool {
	isReplaced := slices.ContainsFunc(head.Keys, func(other SeenKey) bool { return other.Version == key.Version && other.IsPublished })
	return len(published) == 0 || isReplaced || newest.isAheadOfTime(key, nil)
}

// isAheadOfTime says whether a key is above all that were seen as published or that the service lists.
func (head EnvelopeHead) isAheadOfTime(key SeenKey, published map[int64]PublishedKey) bool {
	newest := int64(0)
	for _, other := range head.Keys {
		if other.IsPublished || published[other.Version].Fingerprint == other.Fingerprint {
			newest = max(newest, other.Version)
		}
	}
	return key.Version > newest
}

// signer says who has signed a revision: somebody who may write no longer or is doubtful, or the member whose identity reads. Neither proves a key.
type signer struct{ isFormer, isOwn bool }

// settled is the head to remember: what this very revision had before the service listed it does not become the form's by the service's word. What a signer who
// is former or doubtful has put there alone is published and unproven: visitors may have sealed to it.
func (head EnvelopeHead) settled(before *EnvelopeHead, published map[int64]PublishedKey, by signer) EnvelopeHead {
	opened := head
	head.Keys = slices.Clone(head.Keys)
	for index, key := range opened.Keys {
		isHeldBack, isUnproven, wasPublished := false, by.isFormer, false
		if before != nil {
			isProving := before.Revision != head.Revision && !by.isFormer && !by.isOwn
			for _, seen := range before.Keys {
				if seen.isSameRSA(key) {
					isHeldBack, isUnproven, wasPublished = seen.IsAhead && !isProving, seen.IsUnproven && !isProving, seen.IsPublished
				}
			}
		}
		if !wasPublished && (isHeldBack || len(published) > 0 && opened.isAheadOfTime(key, published)) {
			head.Keys[index].IsPublished, head.Keys[index].IsAhead = false, true
		}
		head.Keys[index].IsUnproven = head.Keys[index].IsPublished && isUnproven
	}
	return head
}

func (content Content) head(hash string, expected Expected) EnvelopeHead {
	head := EnvelopeHead{OrganizationID: content.OrganizationID, FormID: content.FormID, FormName: content.FormName,
		FirstVersion: content.FirstVersion, Revision: content.Revision, Hash: hash, List: content.List, KeyLog: content.KeyLog}
	head.Readers, head.Keys = content.introducers(expected), []SeenKey{}
	for _, key := range content.Keys {
		seed, _ := decodeStrictly(key.Seed)
		label := fmt.Sprintf("sealpost-seed/1\n%s\n%d\n", content.FormID, key.Version)
		seedHash := hashOf(append([]byte(label), seed...))
		seen := SeenKey{Version: key.Version, Fingerprint: key.Fingerprint, HybridFingerprint: key.HybridFingerprint, SeedHash: &seedHash}
		head.Keys = append(head.Keys, expected.remembered(seen))
	}
	return head
}

// introducers gives of each reader who put them there; nil if nobody is known to have. What is known stays, whatever the revision says. A signer who is to be
// confirmed proves nothing, nor does one who writes no longer, or whose key was replaced; at the first sight of a form only an owner speaks for others. Whom a signer who is
// doubtful brings in is doubtful, too.
func (content Content) introducers(expected Expected) (readers []SeenReader) {
	before, list := expected.head(), expected.List
	isByOwner := content.isOwners(list)
	known, seen, outdated, isHeard, isAdjoining := map[string]*string{}, map[string]SeenReader{}, map[string]bool{}, true, false
	if before != nil {
		outdated = list.changedBetween(before.List.Number, content.List.Number, memberChange.endsReading)
		known, isAdjoining = content.knownIntroducers(*before, list), expected.mayAdjoin()
		isHeard = isByOwner || before.hasReader(content.SignedBy) && !list.isUnconfirmed(*before, content.SignedBy)
		for _, reader := range before.Readers {
			seen[reader.ID] = reader
		}
	}
	isFormer := content.isSignerChanged(list, memberChange.endsWriting) // somebody else may have that key
	isHeard = isHeard && !isFormer
	isSpreading := before != nil && (isFormer || expected.IsPassed || !isByOwner && seen[content.SignedBy].IsDoubtful)
	for _, reader := range content.Readers {
		one, wasThere := seen[reader.ID]
		next := SeenReader{ID: reader.ID}
		if kept := known[reader.ID]; kept != nil && (isAdjoining || isSame(kept, reader.By)) {
			next.By = kept
		} else if reader.By != nil && (isHeard && *reader.By == content.SignedBy || before == nil && isByOwner) {
			next.By = reader.By
		} else {
			next.IsDoubtful = one.IsDoubtful || (!wasThere || outdated[reader.ID]) && isSpreading
		}
		readers = append(readers, next)
	}
	return readers
}

// knownIntroducers gives who put the readers of a head there, as far as it still counts: nothing has been taken since from them or from the reader.
func (content Content) knownIntroducers(before EnvelopeHead, list *List) map[string]*string {
	from, to := before.List.Number, content.List.Number
	cut, known := list.changedBetween(from, to, memberChange.isLosingEdges), map[string]*string{}
	outdated := list.changedBetween(from, to, memberChange.endsReading)
	for _, reader := range before.Readers {
		if reader.By != nil && !cut[*reader.By] && !outdated[reader.ID] {
			known[reader.ID] = reader.By
		}
	}
	return known
}

// mayAdjoin says whether no revision that is not known here lies between this one and what it is compared with.
func (expected Expected) mayAdjoin() bool {
	if expected.Newest != nil {
		return expected.Revision <= expected.Newest.Revision+1
	}
	return expected.Revision == 1 && expected.isBegun() && !expected.IsAboveRefused
}

// isUnconfirmed says whether a reader of this head is to be confirmed: they are neither an owner nor a recovery key, and nothing says who put them there, or that
// one may do so no longer.
func (list *List) isUnconfirmed(head EnvelopeHead, id string) bool {
	role := list.Members[id].Role
	if role == "" || role == "owner" || role == "recovery" {
		return false
	}
	index := slices.IndexFunc(head.Readers, func(reader SeenReader) bool { return reader.ID == id })
	if index == -1 || head.Readers[index].By == nil {
		return true
	}
	by := *head.Readers[index].By
	cut := list.changedBetween(head.List.Number, list.Head.Number, memberChange.isLosingEdges)
	return cut[by] || !roles[list.Members[by].Role].signs
}

// remembered is what is remembered of a key: it is published if the service lists it, whatever hybrid key is next to it, or if it was seen so before. Where the
// list is not known, nothing becomes published: a key ahead of its time would have to stay, and its version's own key could never come. Next to a published key,
// a hybrid key that the service does not list, and that was not seen so, is not remembered.
func (expected Expected) remembered(key SeenKey) SeenKey {
	listed, isListed := expected.Published[key.Version]
	isWhole := false
	if isListed && listed.Fingerprint == key.Fingerprint {
		key.IsPublished = true
		isWhole = key.HybridFingerprint != nil && *key.HybridFingerprint == listed.HybridFingerprint
	}
	if expected.Newest != nil {
		for _, seen := range expected.Newest.Keys {
			if seen.IsPublished && seen.isSameRSA(key) {
				key.IsPublished = true
				isWhole = isWhole || isSame(seen.HybridFingerprint, key.HybridFingerprint)
			}
		}
	}
	if key.IsPublished && !isWhole {
		key.HybridFingerprint = nil
	}
	return key
}

func (change memberChange) isLeaving() bool {
	return roles[change.before.Role].reads && (change.after == nil || !roles[change.after.Role].reads)
}

func (change memberChange) hasOtherRecipient() bool {
	return change.after != nil && change.after.Recipient != change.before.Recipient
}

// endsReading says whether the member reads no longer what was read before, or by another recipient.
func (change memberChange) endsReading() bool {
	return change.isLeaving() || change.hasOtherRecipient()
}

// endsWriting says whether the member may not write any longer, or has another signing key.
func (change memberChange) endsWriting() bool {
	return change.after == nil || !roles[change.after.Role].signs || !isSameKey(change.after.SigningKey, change.before.SigningKey)
}

// endsOwning says whether the member is no owner any longer, or has another signing key.
func (change memberChange) endsOwning() bool {
	return change.endsWriting() || change.after.Role != "owner"
}

// outdated gives the ids of readers whom an entry after the list of this revision has made another one than they were for it, also if they are that again:
// somebody who may not read the form can have let them in.
func (content Content) outdated(list *List) []string {
	left, rekeyed := content.changedSince(list, memberChange.isLeaving), content.changedSince(list, memberChange.hasOtherRecipient)
	ids := []string{}
	for _, reader := range content.Readers {
		if left[reader.ID] || rekeyed[reader.ID] {
			ids = append(ids, reader.ID)
		}
	}
	return ids
}

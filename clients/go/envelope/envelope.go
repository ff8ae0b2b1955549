package envelope

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"sort"
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

// Reader is who can open an envelope. Fingerprint is the hash of the recipient's text, By the id of the member who put this reader there.
type Reader struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint"`
	By          string `json:"by"`
}

// Content is what the writer of an envelope signed.
type Content struct {
	Format         string    `json:"format"`
	OrganizationID string    `json:"organizationId"`
	FormID         string    `json:"formId"`
	HandedTo       *string   `json:"handedTo"`
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
	SeedHash          string  `json:"seedHash"`
	// IsPublished says whether it was ever seen among the form's public keys; otherwise a rotation may put another key in its place.
	IsPublished bool `json:"isPublished"`
}

// SeenReader is a reader, and the member who put them there; nil where nothing proves who.
type SeenReader struct {
	ID string  `json:"id"`
	By *string `json:"by"`
}

// EnvelopeHead is the newest revision that was seen, to be remembered: JSON, without anything secret.
type EnvelopeHead struct {
	OrganizationID string       `json:"organizationId"`
	FormID         string       `json:"formId"`
	HandedTo       *string      `json:"handedTo"`
	FormName       string       `json:"formName"`
	FirstVersion   int64        `json:"firstVersion"`
	Revision       int64        `json:"revision"`
	Hash           string       `json:"hash"`
	List           Head         `json:"list"`
	KeyLog         *Head        `json:"keyLog"`
	Readers        []SeenReader `json:"readers"`
	Keys           []SeenKey    `json:"keys"`
}

// OtherHead is the head of another envelope of the same form. IsOpenedNow: it was opened a moment ago, and not before. Writers write one envelope after the
// other, so its list may be newer than that of the one after it.
type OtherHead struct {
	EnvelopeHead
	IsOpenedNow bool `json:"isOpenedNow"`
}

// Expected is what an envelope has to agree with. Revision is the number under which the service keeps it; KeyLog has the heads of the form's key log
// that are known; where it is nil nobody has asked for the log, and nothing is compared with it. Published has the fingerprints of the form's RSA keys by
// their versions, as the service lists them; where it is nil nobody has asked for them. Newest and Others are the form head, all that was seen of the form:
// this envelope, which is nil at its first sight, and the others.
type Expected struct {
	FormID       string
	FirstVersion int64
	Revision     int64
	List         *List
	KeyLog       []Head
	Published    map[int64]string
	Newest       *EnvelopeHead
	Others       []OtherHead
}

// Opened is an envelope that was opened. Outdated has the ids of readers and writer who have left, or have other keys or fewer rights by now.
type Opened struct {
	Content  Content
	Head     EnvelopeHead
	Outdated []string
}

const (
	// jwkTextMax is the length of the longest number of a JWK: 4,096 bits in base64url.
	jwkTextMax     = 683
	hybridPubText  = 1622
	hybridPrivText = 43
	versionMax     = 1<<31 - 1
	revisionMax    = 1<<31 - 1
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
	head := content.head(hashOf(file), expected)
	members, err := content.check(lines[0], signature, stanzas, head, expected)
	if err != nil {
		return nil, err
	}
	return &Opened{content, head, content.outdated(members, expected.List.Members)}, nil
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
		formPattern.MatchString(content.FormID) && (content.HandedTo == nil || accountPattern.MatchString(*content.HandedTo)) &&
		namePattern.MatchString(content.FormName) && isCount(content.FirstVersion) && firstVersionOf(content.FirstVersion) == content.FirstVersion &&
		isCount(content.Revision) && content.Revision <= revisionMax && isFirst == (content.Previous == nil) &&
		(isFirst || isHash(*content.Previous)) && isHead(content.List) && (content.KeyLog == nil || isHead(*content.KeyLog)) &&
		isTime(content.WrittenAt) && idPattern.MatchString(content.SignedBy) && content.Extended.isWellFormed(envelopeExtensionsBytesMax) &&
		len(content.Keys) >= 1 && len(content.Keys) <= keysMax && len(content.Readers) >= 1 && len(content.Readers) <= readersMax
	for index, key := range content.Keys {
		isWhole = isWhole && key.isWellFormed() && firstVersionOf(key.Version) == content.FirstVersion && (index == 0 || key.Version > content.Keys[index-1].Version)
	}
	for index, reader := range content.Readers {
		isWhole = isWhole && idPattern.MatchString(reader.ID) && idPattern.MatchString(reader.By) && isHash(reader.Fingerprint) &&
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

// check gives the members that the writer had.
func (content Content) check(line, signature []byte, stanzas int, head EnvelopeHead, expected Expected) (map[string]Member, error) {
	list := expected.List
	if content.OrganizationID != list.OrganizationID || content.FormID != expected.FormID || content.FirstVersion != expected.FirstVersion {
		return nil, OtherForm
	}
	if content.Revision != expected.Revision {
		return nil, WrongRevision
	}
	members, ok := list.membersAt(content.List)
	if !ok {
		return nil, UnknownList
	}
	writer, ok := members[content.SignedBy]
	if !ok || writer.SigningKey == nil || !isSigned(envelopeFormat, line, signature, *writer.SigningKey) {
		return nil, NotSigned
	}
	if !roles[writer.Role].signs {
		return nil, NotAllowed
	}
	isByOwner := isOwners(writer, list.Members)
	if (content.HandedTo != nil || content.Revision > managersRevisionMax) && !isByOwner {
		return nil, NotAllowed
	}
	if content.hasCritical() {
		return nil, UnknownExtension
	}
	if stanzas != len(content.Readers) || !content.hasReadersOf(members) {
		return nil, WrongReaders
	}
	if content.KeyLog != nil && expected.KeyLog != nil && !slices.Contains(expected.KeyLog, *content.KeyLog) {
		return nil, UnknownKeyLog
	}
	if err := content.continues(head, expected, isByOwner); err != nil {
		return nil, err
	}
	for _, key := range content.Keys {
		if !key.isRight() {
			return nil, WrongKey
		}
	}
	return members, nil
}

// isOwners says whether an envelope counts as an owner's: its writer was one then, and is no manager by the list of now, as a manager could name a list from
// before.
func isOwners(writer Member, now map[string]Member) bool {
	return writer.Role == "owner" && now[writer.ID].Role != "manager"
}

func (content Content) hasReadersOf(members map[string]Member) bool {
	recoveryKeys := 0
	for _, reader := range content.Readers {
		member, ok := members[reader.ID]
		if !ok || !roles[member.Role].reads || hashOf([]byte(member.Recipient)) != reader.Fingerprint {
			return false
		}
		if member.Role == "recovery" {
			recoveryKeys++
		}
	}
	for _, member := range members {
		if member.Role == "recovery" {
			recoveryKeys--
		}
	}
	return recoveryKeys == 0
}

// continues compares with what was seen of the form.
func (content Content) continues(head EnvelopeHead, expected Expected, isByOwner bool) error {
	newest := expected.Newest
	before, lower := newest, newest
	if newest == nil {
		before = findLast(expected.Others, versionMax)
		lower = findLast(expected.Others, content.FirstVersion-1)
	}
	switch {
	case before == nil:
		return nil // nothing of the form was seen
	case before.FormID != content.FormID || newest != nil && newest.FirstVersion != content.FirstVersion:
		return OtherForm
	case before.OrganizationID != content.OrganizationID && (before.HandedTo == nil || *before.HandedTo != content.OrganizationID):
		return OtherForm
	case content.hasOlderList(expected):
		return OldList
	case !content.hasLaterLog(lower) && !isByOwner: // an owner may have given the log up
		return OldKeyLog
	case newest != nil:
		return content.follows(head, *newest, isByOwner)
	case !isByOwner && !before.hasReader(content.SignedBy): // it would have keys of their own
		return NotAllowed
	}
	return nil
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

// hasOlderList compares with lists of the same organization alone: in this envelope or, at its first sight, in those before it.
func (content Content) hasOlderList(expected Expected) bool {
	isOlder := func(head EnvelopeHead) bool {
		return head.OrganizationID == content.OrganizationID && content.List.Number < head.List.Number
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

// follows compares with the newest revision that was seen.
func (content Content) follows(head, newest EnvelopeHead, isByOwner bool) error {
	steps := content.Revision - newest.Revision
	isNext := steps != 1 || content.Previous != nil && *content.Previous == newest.Hash
	switch {
	case steps < 0:
		return OldRevision
	case steps == 0 && head.Hash != newest.Hash:
		return Forked
	case !isNext: // its writer may have written anything there
		return OtherPrevious
	case steps > 0 && !isByOwner && !newest.hasReader(content.SignedBy): // anyone who has come in between has done so by a revision that was opened, or by one that was refused
		return NotAllowed
	case steps == 1 && !content.introduces(newest):
		return WrongReaders
	}
	for _, key := range newest.Keys {
		if key.IsPublished && !head.keeps(key) {
			return KeyMissing
		}
	}
	return nil
}

// introduces says whether whoever put somebody in, or confirmed them, did it in their own name.
func (content Content) introduces(before EnvelopeHead) bool {
	for _, reader := range content.Readers {
		isKnown := slices.ContainsFunc(before.Readers, func(seen SeenReader) bool {
			return seen.ID == reader.ID && (seen.By == nil || *seen.By == reader.By)
		})
		if reader.By != content.SignedBy && !isKnown {
			return false
		}
	}
	return true
}

// keeps lets a hybrid key be added.
func (head EnvelopeHead) keeps(key SeenKey) bool {
	for _, other := range head.Keys {
		if other.Version == key.Version {
			return other.Fingerprint == key.Fingerprint && other.SeedHash == key.SeedHash &&
				(key.HybridFingerprint == nil || isSame(other.HybridFingerprint, key.HybridFingerprint))
		}
	}
	return false
}

func (content Content) head(hash string, expected Expected) EnvelopeHead {
	head := EnvelopeHead{OrganizationID: content.OrganizationID, FormID: content.FormID, HandedTo: content.HandedTo, FormName: content.FormName,
		FirstVersion: content.FirstVersion, Revision: content.Revision, Hash: hash, List: content.List, KeyLog: content.KeyLog}
	head.Readers = content.introducers(expected)
	for _, key := range content.Keys {
		seed, _ := decodeStrictly(key.Seed)
		label := fmt.Sprintf("sealpost-seed/1\n%s\n%d\n", content.FormID, key.Version)
		seen := SeenKey{key.Version, key.Fingerprint, key.HybridFingerprint, hashOf(append([]byte(label), seed...)), false}
		seen.IsPublished = expected.isPublished(seen)
		head.Keys = append(head.Keys, seen)
	}
	return head
}

// introducers gives of each reader who put them there, as far as the revision proves it. At the first sight of a form it is what the revision says.
func (content Content) introducers(expected Expected) (readers []SeenReader) {
	before := expected.Newest
	if before == nil {
		before = findLast(expected.Others, content.FirstVersion-1)
	}
	cut := map[string]bool{}
	if before != nil {
		cut = expected.List.cutBetween(before.List.Number, content.List.Number)
	}
	for _, reader := range content.Readers {
		isKnown := before == nil || before.OrganizationID == content.OrganizationID && !cut[reader.By] &&
			slices.ContainsFunc(before.Readers, func(seen SeenReader) bool {
				return seen.ID == reader.ID && seen.By != nil && *seen.By == reader.By
			})
		seen := SeenReader{ID: reader.ID}
		if isKnown || reader.By == content.SignedBy {
			seen.By = &reader.By
		}
		readers = append(readers, seen)
	}
	return readers
}

// isPublished says whether a key was seen so before, or is in the service's list. Where that is not known, every key counts that is not known to be
// unpublished, so that no writer drops it.
func (expected Expected) isPublished(key SeenKey) bool {
	wasSeen := false
	if expected.Newest != nil {
		for _, seen := range expected.Newest.Keys {
			if seen.Version == key.Version && seen.Fingerprint == key.Fingerprint && seen.SeedHash == key.SeedHash {
				if seen.IsPublished {
					return true
				}
				wasSeen = true
			}
		}
	}
	if expected.Published == nil {
		return !wasSeen
	}
	return expected.Published[key.Version] == key.Fingerprint
}

func (content Content) outdated(then, now map[string]Member) []string {
	gone := map[string]bool{}
	for _, reader := range content.Readers {
		member, ok := now[reader.ID]
		gone[reader.ID] = !ok || !roles[member.Role].reads || member.Recipient != then[reader.ID].Recipient
	}
	writer := now[content.SignedBy]
	if !roles[writer.Role].signs || !isSame(writer.SigningKey, then[content.SignedBy].SigningKey) {
		gone[content.SignedBy] = true
	}
	ids := []string{}
	for id, isGone := range gone {
		if isGone {
			ids = append(ids, id)
		}
	}
	sort.Strings(ids)
	return ids
}

package envelope

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"filippo.io/age"
)

const (
	listFormat   = "sealpost-list/1"
	entriesMax   = 4096
	lineBytesMax = 4096
	listBytesMax = entriesMax * (lineBytesMax + 104)
	membersMax   = 2048
	// recoveryKeysMax is small because each of them takes a reader's place in every envelope.
	recoveryKeysMax = 8
	// openPlaces are for everybody whom the roles let sign; those after them, up to ownerPlaces, for owners and recovery keys; the last 64 for removals.
	openPlaces  = 3072
	ownerPlaces = 4032
	// numberMax is PostgreSQL's largest integer.
	numberMax      = 1<<31 - 1
	readersMax     = 64
	keysMax        = 32
	fileBytesMax   = 256 << 10
	envelopeFormat = "sealpost-envelope/1"
)

type role struct {
	rank         int
	signs, reads bool
	hasKey       bool
}

var roles = map[string]role{
	"owner":     {3, true, true, true},
	"manager":   {2, true, true, true},
	"reader":    {1, false, true, true},
	"developer": {1, false, false, true},
	"auditor":   {1, false, false, true},
	"program":   {1, false, true, false},
	"recovery":  {3, false, true, false},
}

// Member is a member of an organization as its list has it. SigningKey is nil for programs, and for recovery keys that only read.
type Member struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Role       string  `json:"role"`
	Recipient  string  `json:"recipient"`
	SigningKey *string `json:"signingKey"`
}

// Head is a place in a list: the number of an entry, and its hash, which fixes all entries before it.
type Head struct {
	Number int64  `json:"number"`
	Hash   string `json:"hash"`
}

// Trust is what a list has to agree with: the newest head that was seen, or, at the first sight, a signing key that was passed on.
type Trust struct {
	Head       *Head
	SigningKey string
}

// List is a list whose every entry was verified.
type List struct {
	OrganizationID string
	// Head is to be remembered: the next list has to contain it.
	Head    Head
	Members map[string]Member
	entries []knownEntry
	// used has the admissions that entries have named.
	used map[string]bool
}

type knownEntry struct {
	change change
	hash   string
}

// change has neither id nor member where an entry is a note.
type change struct {
	kind      string
	id        string
	member    *Member
	admission *admission
}

// admission is the one that an entry uses up, with the member who signed its terms.
type admission struct {
	ID    string `json:"id"`
	Maker string `json:"maker"`
}

type entry struct {
	Format         string          `json:"format"`
	OrganizationID string          `json:"organizationId"`
	Number         int64           `json:"number"`
	Previous       *string         `json:"previous"`
	WrittenAt      string          `json:"writtenAt"`
	SignedBy       string          `json:"signedBy"`
	Change         string          `json:"change"`
	Admission      *admission      `json:"admission"`
	Member         json.RawMessage `json:"member,omitempty"`
	Extended
}

type signedLine struct {
	line, signatureLine []byte
}

type signedEntry struct {
	entry
	change    change
	line      []byte
	signature []byte
}

// VerifyList checks a list as it was received, and that it continues what is trusted. The error is a Refusal.
func VerifyList(text []byte, organizationID string, trust Trust) (*List, error) {
	lines, ok := splitList(text)
	if !ok {
		return nil, Malformed
	}
	if err := requireHead(lines, trust.Head); err != nil {
		return nil, err
	}
	list := &List{OrganizationID: organizationID, Members: map[string]Member{}, used: map[string]bool{}}
	isVouched := false
	for _, signed := range lines {
		one, ok := signed.parse()
		if !ok {
			return nil, Malformed
		}
		signer, err := list.check(one)
		if err != nil {
			return nil, err
		}
		list.add(one)
		isVouched = isVouched || *signer.SigningKey == trust.SigningKey
	}
	if trust.Head == nil && !isVouched {
		return nil, NotVouched
	}
	return list, nil
}

// add takes an entry that was checked.
func (list *List) add(one signedEntry) {
	apply(list.Members, one.change)
	if one.change.admission != nil {
		list.used[one.change.admission.ID] = true
	}
	list.Head = Head{one.Number, hashOf(one.line)}
	list.entries = append(list.entries, knownEntry{one.change, list.Head.Hash})
}

// requireHead is before any entry is parsed: it costs nothing to refuse what a stranger made up.
func requireHead(lines []signedLine, head *Head) error {
	switch {
	case head == nil:
		return nil
	case int64(len(lines)) < head.Number:
		return OldList
	case head.Number < 1 || hashOf(lines[head.Number-1].line) != head.Hash:
		return Forked
	}
	return nil
}

// check gives the member who signed an entry that may come next.
func (list *List) check(one signedEntry) (Member, error) {
	if one.OrganizationID != list.OrganizationID {
		return Member{}, OtherOrganization
	}
	isFirst := len(list.entries) == 0
	if one.Number != list.Head.Number+1 || !isFirst && *one.Previous != list.Head.Hash || isFirst && one.change.kind != "add" {
		return Member{}, BrokenChain
	}
	signer, isThere := list.Members[one.SignedBy]
	if isFirst && one.change.id == one.SignedBy {
		signer, isThere = *one.change.member, true
	}
	if !isThere || signer.SigningKey == nil || !isSigned(listFormat, one.line, one.signature, *signer.SigningKey) {
		return Member{}, NotSigned
	}
	// Others could write an entry after which no program of today continues the list.
	if !list.allows(signer, one.change) || one.hasCritical() && signer.Role != "owner" {
		return Member{}, NotAllowed
	}
	if one.hasCritical() {
		return Member{}, UnknownExtension
	}
	return signer, nil
}

func (list *List) allows(signer Member, next change) bool {
	if !mayUsePlace(len(list.entries)+1, signer.Role, next.kind) {
		return false
	}
	if next.kind == "note" {
		return signer.Role == "owner"
	}
	before, isThere := list.Members[next.id]
	if isThere == (next.kind == "add") || !list.isInOrder(next) {
		return false
	}
	known := &before
	if !isThere {
		known = nil
	}
	// The founder is an owner, since there is one always.
	if len(list.entries) > 0 && !mayChange(signer, known, next.member) {
		return false
	}
	return next.admission == nil || list.mayUse(*next.admission, signer, known, *next.member)
}

func mayUsePlace(place int, role, kind string) bool {
	switch {
	case place <= openPlaces:
		return true
	case place <= ownerPlaces:
		return role == "owner" || role == "recovery"
	}
	return role == "owner" && kind == "remove"
}

// isInOrder says whether there is an owner, no key is there twice, and there are not too many, after next.
func (list *List) isInOrder(next change) bool {
	all, owners, recoveryKeys := 0, 0, 0
	count := func(role string) {
		all++
		if role == "owner" {
			owners++
		}
		if role == "recovery" {
			recoveryKeys++
		}
	}
	for id, other := range list.Members {
		if id == next.id {
			continue
		}
		count(other.Role)
		if next.member != nil && (other.Recipient == next.member.Recipient || isSame(other.SigningKey, next.member.SigningKey)) {
			return false
		}
	}
	if next.member != nil {
		count(next.member.Role)
	}
	return owners > 0 && all <= membersMax && recoveryKeys <= recoveryKeysMax
}

// mayChange says whether signer may turn before into after; nil is a member who is not there.
func mayChange(signer Member, before, after *Member) bool {
	rank := 0
	for _, member := range []*Member{before, after} {
		if member != nil {
			rank = max(rank, roles[member.Role].rank)
		}
	}
	switch {
	case signer.Role == "owner":
		return true
	case signer.Role == "recovery":
		return after != nil && after.Role == "owner" && (before == nil || before.Role != "recovery")
	case before != nil && before.ID == signer.ID:
		return after == nil || after.Role == signer.Role
	}
	return signer.Role == "manager" && rank < roles["manager"].rank
}

// mayUse says whether an entry may use this admission up: each once, of a maker who could sign the entry, at whatever place. Nobody is let in by themself.
func (list *List) mayUse(one admission, signer Member, before *Member, after Member) bool {
	maker, isThere := list.Members[one.Maker]
	if list.used[one.ID] || !isThere || !roles[maker.Role].signs {
		return false
	}
	isByOthers := signer.ID != after.ID && maker.ID != after.ID
	return isByOthers && mayChange(maker, before, &after)
}

func isSame(one, other *string) bool { return one != nil && other != nil && *one == *other }

func apply(members map[string]Member, next change) {
	if next.member != nil {
		members[next.id] = *next.member
	} else {
		delete(members, next.id)
	}
}

func (list *List) contains(head Head) bool {
	return head.Number >= 1 && head.Number <= int64(len(list.entries)) && list.entries[head.Number-1].hash == head.Hash
}

// membersAt gives the members right after an entry.
func (list *List) membersAt(head Head) (map[string]Member, bool) {
	if !list.contains(head) {
		return nil, false
	}
	members := map[string]Member{}
	for _, known := range list.entries[:head.Number] {
		apply(members, known.change)
	}
	return members, true
}

// splitList gives the list's lines, none of them parsed. Everything that bounds the work is checked here.
func splitList(text []byte) ([]signedLine, bool) {
	if len(text) > listBytesMax || !utf8.Valid(text) {
		return nil, false
	}
	lines, ok := splitLines(text)
	if !ok || len(lines)%2 != 0 || len(lines) > 2*entriesMax {
		return nil, false
	}
	var signed []signedLine
	for index := 0; index < len(lines); index += 2 {
		if len(lines[index]) > lineBytesMax {
			return nil, false
		}
		signed = append(signed, signedLine{lines[index], lines[index+1]})
	}
	return signed, true
}

func (signed signedLine) parse() (signedEntry, bool) {
	one := signedEntry{line: signed.line}
	if !parseLine(one.line, &one.entry) || !one.isWellFormed() {
		return one, false
	}
	var isMember, isSignature bool
	one.change, isMember = parseChange(one.entry)
	one.signature, isSignature = parseSignature(signed.signatureLine)
	return one, isMember && isSignature
}

func (one entry) isWellFormed() bool {
	return one.Format == listFormat && accountPattern.MatchString(one.OrganizationID) && isCount(one.Number) && one.Number <= numberMax &&
		(one.Number == 1) == (one.Previous == nil) && (one.Previous == nil || isHash(*one.Previous)) && isTime(one.WrittenAt) && idPattern.MatchString(one.SignedBy) &&
		one.Extended.isWellFormed(extensionsBytesMax)
}

func parseChange(one entry) (change, bool) {
	switch one.Change {
	case "note":
		return change{kind: one.Change}, one.Admission == nil && one.Member == nil
	case "remove":
		var gone struct {
			ID string `json:"id"`
		}
		ok := one.Admission == nil && parseLine(one.Member, &gone) && idPattern.MatchString(gone.ID)
		return change{kind: one.Change, id: gone.ID}, ok
	case "add", "replace":
		var member Member
		ok := parseLine(one.Member, &member) && member.isWellFormed() && (one.Admission == nil || one.Admission.isWellFormed())
		return change{one.Change, member.ID, &member, one.Admission}, ok
	}
	return change{}, false
}

func (one admission) isWellFormed() bool {
	return admissionPattern.MatchString(one.ID) && idPattern.MatchString(one.Maker)
}

func (member Member) isWellFormed() bool {
	known, ok := roles[member.Role]
	hasKey := member.SigningKey != nil
	isKeyRight := (hasKey == known.hasKey || member.Role == "recovery") && (!hasKey || isSigningKey(*member.SigningKey))
	return ok && isKeyRight && idPattern.MatchString(member.ID) && namePattern.MatchString(member.Name) && isRecipient(member.Recipient)
}

func isSigningKey(text string) bool {
	key, ok := decodeStrictly(text)
	return ok && isEd25519Point(key)
}

// isRecipient says whether a text is a hybrid recipient, written in the one way, with a usable key. No other kind is in lists: age refuses to seal for two
// kinds at once.
func isRecipient(recipient string) bool {
	// The numbers of ML-KEM are checked by it.
	parsed, err := age.ParseHybridRecipient(recipient)
	return err == nil && parsed.String() == recipient && endsWithX25519Key(decodeRecipient(recipient))
}

func endsWithX25519Key(key []byte) bool {
	return len(key) >= 32 && isX25519Key(key[len(key)-32:])
}

// decodeRecipient gives the bytes in a text of Bech32 whose checksum was checked.
func decodeRecipient(recipient string) []byte {
	var decoded []byte
	bits, count := 0, 0
	for _, character := range recipient[strings.LastIndexByte(recipient, '1')+1 : len(recipient)-6] {
		bits = bits<<5 | strings.IndexRune("qpzry9x8gf2tvdw0s3jn54khce6mua7l", character)
		if count += 5; count >= 8 {
			count -= 8
			decoded = append(decoded, byte(bits>>count))
			bits &= 1<<count - 1
		}
	}
	return decoded
}

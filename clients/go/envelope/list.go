package envelope

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"filippo.io/age"
)

const (
	listFormat     = "sealpost-list/1"
	listBytesMax   = 8 << 20
	entriesMax     = 4096
	lineBytesMax   = 4096
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
}

type knownEntry struct {
	change change
	hash   string
}

type change struct {
	kind   string
	id     string
	member *Member
}

type entry struct {
	Format         string          `json:"format"`
	OrganizationID string          `json:"organizationId"`
	Number         int64           `json:"number"`
	Previous       *string         `json:"previous"`
	WrittenAt      string          `json:"writtenAt"`
	SignedBy       string          `json:"signedBy"`
	Change         string          `json:"change"`
	Member         json.RawMessage `json:"member"`
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
	list := &List{OrganizationID: organizationID, Members: map[string]Member{}}
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
		apply(list.Members, one.change)
		isVouched = isVouched || *signer.SigningKey == trust.SigningKey
		list.Head = Head{one.Number, hashOf(one.line)}
		list.entries = append(list.entries, knownEntry{one.change, list.Head.Hash})
	}
	if trust.Head == nil && !isVouched {
		return nil, NotVouched
	}
	return list, nil
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
	if one.Number != list.Head.Number+1 || isFirst != (one.Previous == nil) || !isFirst && *one.Previous != list.Head.Hash {
		return Member{}, BrokenChain
	}
	signer, isThere := list.Members[one.SignedBy]
	if isFirst && one.change.kind == "add" && one.change.id == one.SignedBy {
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
	before, isThere := list.Members[next.id]
	if isThere == (next.kind == "add") {
		return false
	}
	if len(list.entries) == 0 {
		return signer.Role == "owner"
	}
	hasOwner := next.member != nil && next.member.Role == "owner"
	for id, other := range list.Members {
		if id == next.id {
			continue
		}
		hasOwner = hasOwner || other.Role == "owner"
		if next.member != nil && (other.Recipient == next.member.Recipient || isSame(other.SigningKey, next.member.SigningKey)) {
			return false
		}
	}
	rank := 0
	if isThere {
		rank = roles[before.Role].rank
	}
	if next.member != nil {
		rank = max(rank, roles[next.member.Role].rank)
	}
	switch {
	case !hasOwner:
		return false
	case signer.Role == "owner":
		return true
	case signer.Role == "recovery":
		return next.member != nil && next.member.Role == "owner" && (!isThere || before.Role != "recovery")
	case isThere && before.ID == signer.ID:
		return next.member == nil || next.member.Role == signer.Role
	}
	return signer.Role == "manager" && rank < roles["manager"].rank
}

func isSame(one, other *string) bool { return one != nil && other != nil && *one == *other }

func apply(members map[string]Member, next change) {
	if next.member == nil {
		delete(members, next.id)
	} else {
		members[next.id] = *next.member
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
	return one.Format == listFormat && accountPattern.MatchString(one.OrganizationID) && isCount(one.Number) &&
		(one.Previous == nil || isHash(*one.Previous)) && isTime(one.WrittenAt) && idPattern.MatchString(one.SignedBy) &&
		one.Extended.isWellFormed(extensionsBytesMax)
}

func parseChange(one entry) (change, bool) {
	switch one.Change {
	case "remove":
		var gone struct {
			ID string `json:"id"`
		}
		ok := parseLine(one.Member, &gone) && idPattern.MatchString(gone.ID)
		return change{one.Change, gone.ID, nil}, ok
	case "add", "replace":
		var member Member
		ok := parseLine(one.Member, &member) && member.isWellFormed()
		return change{one.Change, member.ID, &member}, ok
	}
	return change{}, false
}

func (member Member) isWellFormed() bool {
	known, ok := roles[member.Role]
	hasKey := member.SigningKey != nil
	isKeyRight := (hasKey == known.hasKey || member.Role == "recovery") && (!hasKey || isSigningKey(*member.SigningKey))
	return ok && isKeyRight && idPattern.MatchString(member.ID) && namePattern.MatchString(member.Name) && kindOf(member.Recipient) != ""
}

func isSigningKey(text string) bool {
	key, ok := decodeStrictly(text)
	return ok && isEd25519Point(key)
}

// kindOf gives the type of a recipient's stanzas; empty for what is not one of the two kinds, is written in another way, or has an
// unusable key.
func kindOf(recipient string) string {
	if parsed, err := age.ParseX25519Recipient(recipient); err == nil && parsed.String() == recipient {
		return kindIf("X25519", decodeRecipient(recipient))
	}
	// The numbers of ML-KEM are checked by it.
	if parsed, err := age.ParseHybridRecipient(recipient); err == nil && parsed.String() == recipient {
		return kindIf("mlkem768x25519", decodeRecipient(recipient))
	}
	return ""
}

// kindIf gives the kind if the last 32 bytes of its key are one of X25519.
func kindIf(kind string, key []byte) string {
	if len(key) < 32 || !isX25519Key(key[len(key)-32:]) {
		return ""
	}
	return kind
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

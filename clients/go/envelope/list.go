package envelope

import (
	"unicode/utf8"
)

const (
	listFormat = "sealpost-list/1"
	// entriesMax is what is read here. It makes no entry invalid.
	entriesMax   = 32768
	lineBytesMax = 4096
	listBytesMax = entriesMax * (lineBytesMax + 104)
	// placesMax bounds what others than owners and recovery keys write after one of theirs.
	placesMax  = 1024
	membersMax = 2048
	// recoveryKeysMax is small because each of them takes a reader's place in every envelope.
	recoveryKeysMax = 8
	// vouchedMax is for one entry.
	vouchedMax = 64
	// numberMax is PostgreSQL's largest integer.
	numberMax      = 1<<31 - 1
	readersMax     = 64
	keysMax        = 32
	fileBytesMax   = 384 << 10
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

// Member is a member of an organization as its list has it. SigningKey is nil for programs, and for recovery keys that only read. Name is empty where the
// file of names does not prove the Commitment, which the list has in its place: then nothing is known but the id and the keys.
type Member struct {
	ID         string  `json:"id"`
	Commitment string  `json:"name"`
	Role       string  `json:"role"`
	Recipient  string  `json:"recipient"`
	SigningKey *string `json:"signingKey"`
	Name       string  `json:"-"`
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
	// OrganizationName is empty where no entry gives one, or the file of names does not prove it: then it is not signed.
	OrganizationName string
	// Head is to be remembered: the next list has to contain it.
	Head    Head
	Members map[string]Member
	entries []knownEntry
	// place is that of the last entry, and used has the admissions that entries have named.
	place int
	used  map[string]bool
	// changed has the number of the last entry about each member who is or was one.
	changed map[string]int64
	names   names
}

type knownEntry struct {
	change change
	hash   string
}

type signedLine struct {
	line, signatureLine []byte
}

// VerifyList checks a list as it was received, from its first entry on, and that it continues what is trusted. The file of names may be nil: names are
// missing then. The error is a Refusal.
func VerifyList(text, names []byte, organizationID string, trust Trust) (*List, error) {
	lines, ok := splitList(text)
	if !ok || len(lines) == 0 {
		return nil, Malformed
	}
	if err := requireHead(lines, trust.Head); err != nil {
		return nil, err
	}
	list := &List{OrganizationID: organizationID, Members: map[string]Member{}, used: map[string]bool{}, changed: map[string]int64{}, names: parseNames(names, organizationID)}
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
		list.add(one, signer)
		isVouched = isVouched || *signer.SigningKey == trust.SigningKey
	}
	if trust.Head == nil && !isVouched {
		return nil, NotVouched
	}
	return list, nil
}

// add takes an entry that was checked.
func (list *List) add(one signedEntry, signer Member) {
	one.change = list.named(one.change)
	apply(list.Members, one.change)
	if one.change.id != "" {
		list.changed[one.change.id] = one.Number
	}
	if one.change.admission != nil {
		list.used[one.change.admission.ID] = true
	}
	if one.change.kind == "name" {
		list.OrganizationName = list.names.find("organization", list.OrganizationID, list.OrganizationID, one.change.name)
	}
	list.place = list.nextPlace(signer)
	list.Head = Head{one.Number, hashOf(one.line)}
	list.entries = append(list.entries, knownEntry{one.change, list.Head.Hash})
}

// named puts the name to the member of a change, where the file of names proves it.
func (list *List) named(next change) change {
	if next.member != nil {
		member := *next.member
		member.Name = list.names.find("member", list.OrganizationID, member.ID, member.Commitment)
		next.member = &member
	}
	return next
}

// requireHead is before any entry is parsed: it costs nothing to refuse what a stranger made up.
func requireHead(lines []signedLine, head *Head) error {
	switch {
	case head == nil:
		return nil
	case head.Number < 1 || head.Number > int64(len(lines)):
		return OldList
	case hashOf(lines[head.Number-1].line) != head.Hash:
		return Forked
	}
	return nil
}

// check gives the member who signed an entry that may come next.
func (list *List) check(one signedEntry) (Member, error) {
	if one.OrganizationID != list.OrganizationID {
		return Member{}, OtherOrganization
	}
	if !list.isNext(one) {
		return Member{}, BrokenChain
	}
	signer, isThere := list.findSigner(one)
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

// isNext says whether numbers and hashes continue. A list begins with a member who is added.
func (list *List) isNext(one signedEntry) bool {
	if len(list.entries) == 0 {
		return one.Number == 1 && one.change.kind == "add"
	}
	return one.Number == list.Head.Number+1 && *one.Previous == list.Head.Hash
}

// findSigner gives a member as the entries before have it. The first entry is signed by the owner whom it adds.
func (list *List) findSigner(one signedEntry) (Member, bool) {
	if len(list.entries) == 0 {
		return *one.change.member, one.change.id == one.SignedBy
	}
	signer, isThere := list.Members[one.SignedBy]
	return signer, isThere
}

func (list *List) contains(head Head) bool {
	return head.Number >= 1 && head.Number <= list.Head.Number && list.entries[head.Number-1].hash == head.Hash
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

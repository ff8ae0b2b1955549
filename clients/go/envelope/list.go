package envelope

import (
	"unicode/utf8"
)

const (
	listFormat   = "sealpost-list/1"
	entriesMax   = 4096
	lineBytesMax = 4096
	listBytesMax = entriesMax * (lineBytesMax + 104)
	membersMax   = 2048
	// recoveryKeysMax is small because each of them takes a reader's place in every envelope.
	recoveryKeysMax = 8
	// vouchedMax is for one entry.
	vouchedMax = 64
	// openPlaces are for everybody whom the roles let sign; those after them, up to ownerPlaces, for owners and recovery keys; the last 64 for removals.
	openPlaces  = 3072
	ownerPlaces = 4032
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
	// partEntries are those of the newest part, and used has the admissions that they have named.
	partEntries int
	used        map[string]bool
	names       names
}

// Parts are parts of a list, one after the other, each as it was received. First is the number of the first entry, as the service says it. Not all need
// be there: who has seen nothing else checks the newest one alone.
type Parts struct {
	First int64
	Texts [][]byte
}

type knownEntry struct {
	change change
	hash   string
}

type signedLine struct {
	line, signatureLine []byte
}

// VerifyList checks the first part of a list as it was received, which is all of it, and that it continues what is trusted. The file of names may be nil:
// names are missing then. The error is a Refusal.
func VerifyList(text, names []byte, organizationID string, trust Trust) (*List, error) {
	return VerifyParts(Parts{1, [][]byte{text}}, names, organizationID, trust)
}

// VerifyParts is VerifyList for parts of a list.
func VerifyParts(received Parts, names []byte, organizationID string, trust Trust) (*List, error) {
	var parts [][]signedLine
	var all []signedLine
	for _, text := range received.Texts {
		lines, ok := splitList(text)
		if !ok {
			return nil, Malformed
		}
		parts = append(parts, lines)
		all = append(all, lines...)
	}
	if len(all) == 0 {
		return nil, Malformed
	}
	if err := requireHead(all, received.First, trust.Head); err != nil {
		return nil, err
	}
	list := &List{OrganizationID: organizationID, Members: map[string]Member{}, used: map[string]bool{}, names: parseNames(names, organizationID)}
	isVouched := false
	for _, part := range parts {
		for index, signed := range part {
			one, ok := signed.parse()
			if !ok {
				return nil, Malformed
			}
			signer, err := list.check(one, place{received.First, index == 0, trust.SigningKey})
			if err != nil {
				return nil, err
			}
			list.add(one)
			isVouched = isVouched || *signer.SigningKey == trust.SigningKey
		}
	}
	if trust.Head == nil && !isVouched {
		return nil, NotVouched
	}
	return list, nil
}

// place is where an entry was received: from which number on, whether as the first of its part, and the signing key that is trusted.
type place struct {
	first         int64
	isFirstOfPart bool
	trustedKey    string
}

// add takes an entry that was checked.
func (list *List) add(one signedEntry) {
	one.change = list.named(one.change)
	apply(list.Members, one.change)
	if one.change.admission != nil {
		list.used[one.change.admission.ID] = true
	}
	list.partEntries++
	if one.change.kind == "begin" {
		list.partEntries, list.used = 1, map[string]bool{}
	}
	if one.change.kind == "begin" || one.change.kind == "name" {
		list.OrganizationName = list.names.find("organization", list.OrganizationID, list.OrganizationID, one.change.name)
	}
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
func requireHead(lines []signedLine, first int64, head *Head) error {
	switch {
	case head == nil:
		return nil
	case head.Number < first || head.Number >= first+int64(len(lines)):
		return OldList
	case hashOf(lines[head.Number-first].line) != head.Hash:
		return Forked
	}
	return nil
}

// check gives the member who signed an entry that may come next.
func (list *List) check(one signedEntry, at place) (Member, error) {
	if one.OrganizationID != list.OrganizationID {
		return Member{}, OtherOrganization
	}
	if !list.isInItsPlace(one, at) {
		return Member{}, BrokenChain
	}
	signer, isThere := list.findSigner(one, at.trustedKey)
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

// isInItsPlace says whether numbers and hashes continue. Parts come apart from each other: each, but for the first of a list, with the entry that begins it.
func (list *List) isInItsPlace(one signedEntry, at place) bool {
	begins := one.change.kind == "begin"
	if len(list.entries) > 0 {
		return begins == at.isFirstOfPart && one.Number == list.Head.Number+1 && *one.Previous == list.Head.Hash
	}
	return one.Number == at.first && (one.Number == 1 && one.change.kind == "add" || one.Number > 1 && begins)
}

// findSigner gives a member as the entries before have it. Where nothing was received before, an entry is signed by the owner whom it adds or with whom it
// begins a part; or a part by a recovery key whose signing key is trusted, as it may be on paper.
func (list *List) findSigner(one signedEntry, trustedKey string) (Member, bool) {
	if len(list.entries) > 0 {
		signer, isThere := list.Members[one.SignedBy]
		return signer, isThere
	}
	signer := *one.change.member
	if signer.ID == one.SignedBy {
		return signer, true
	}
	signer.ID, signer.Role, signer.SigningKey = one.SignedBy, "recovery", &trustedKey
	return signer, one.change.kind == "begin" && trustedKey != ""
}

func (list *List) contains(head Head) bool {
	index := list.indexOf(head)
	return index >= 0 && index < int64(len(list.entries)) && list.entries[index].hash == head.Hash
}

// indexOf is the place of a head among the entries that were received.
func (list *List) indexOf(head Head) int64 {
	return head.Number - list.Head.Number + int64(len(list.entries)) - 1
}

// membersAt gives the members right after an entry.
func (list *List) membersAt(head Head) (map[string]Member, bool) {
	if !list.contains(head) {
		return nil, false
	}
	members := map[string]Member{}
	for _, known := range list.entries[:list.indexOf(head)+1] {
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

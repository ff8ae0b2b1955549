package envelope

import (
	"encoding/json"
	"strings"

	"filippo.io/age"
)

// change has neither id nor member where an entry is a note.
type change struct {
	kind      string
	id        string
	member    *Member
	admission *admission
	// vouched has the members whom the signer vouches for.
	vouched []string
	// shown is the number of the last entry that the signer of a vouch was shown.
	shown int64
	// name is a commitment: the organization is called so.
	name     string
	signedBy string
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
	Name           *string         `json:"name,omitempty"`
	Member         json.RawMessage `json:"member,omitempty"`
	Members        []string        `json:"members,omitempty"`
	Shown          *int64          `json:"shown,omitempty"`
	Extended
}

type signedEntry struct {
	entry
	change    change
	line      []byte
	signature []byte
}

func (signed signedLine) parse() (signedEntry, bool) {
	one := signedEntry{line: signed.line}
	if !parseLine(one.line, &one.entry) || !one.isWellFormed() {
		return one, false
	}
	var isMember, isSignature bool
	one.change, isMember = parseChange(one.entry)
	one.change.signedBy = one.SignedBy
	one.signature, isSignature = parseSignature(signed.signatureLine)
	return one, isMember && isSignature
}

func (one entry) isWellFormed() bool {
	return one.Format == listFormat && accountPattern.MatchString(one.OrganizationID) && isCount(one.Number) && one.Number <= numberMax &&
		(one.Number == 1) == (one.Previous == nil) && (one.Previous == nil || isHash(*one.Previous)) && isTime(one.WrittenAt) && idPattern.MatchString(one.SignedBy) &&
		one.Extended.isWellFormed(extensionsBytesMax)
}

func parseChange(one entry) (change, bool) {
	isAlone := one.Admission == nil && one.Member == nil
	if (one.Name != nil) != (one.Change == "name") || (one.Shown != nil) != (one.Change == "vouch") {
		return change{}, false
	}
	switch one.Change {
	case "note":
		return change{kind: one.Change}, isAlone && one.Members == nil
	case "name":
		return change{kind: one.Change, name: *one.Name}, isAlone && one.Members == nil && isHash(*one.Name)
	case "vouch":
		isShown := isCount(*one.Shown) && *one.Shown < one.Number
		return change{kind: one.Change, vouched: one.Members, shown: *one.Shown}, isAlone && isShown && len(one.Members) > 0 && areIDs(one.Members, vouchedMax)
	case "remove":
		var gone struct {
			ID string `json:"id"`
		}
		ok := one.Admission == nil && one.Members == nil && parseLine(one.Member, &gone) && idPattern.MatchString(gone.ID)
		return change{kind: one.Change, id: gone.ID}, ok
	case "add", "replace":
		var member Member
		ok := parseLine(one.Member, &member) && member.isWellFormed() && one.Members == nil && (one.Admission == nil || one.Admission.isWellFormed())
		return change{kind: one.Change, id: member.ID, member: &member, admission: one.Admission}, ok
	}
	return change{}, false
}

// areIDs says whether there are at most so many, ascending, each once.
func areIDs(ids []string, most int) bool {
	for index, id := range ids {
		if !idPattern.MatchString(id) || index > 0 && ids[index-1] >= id {
			return false
		}
	}
	return ids != nil && len(ids) <= most
}

func (one admission) isWellFormed() bool {
	return admissionPattern.MatchString(one.ID) && idPattern.MatchString(one.Maker)
}

func (member Member) isWellFormed() bool {
	known, ok := roles[member.Role]
	hasKey := member.SigningKey != nil
	isKeyRight := (hasKey == known.hasKey || member.Role == "recovery") && (!hasKey || isSigningKey(*member.SigningKey))
	return ok && isKeyRight && idPattern.MatchString(member.ID) && isHash(member.Commitment) && isRecipient(member.Recipient)
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

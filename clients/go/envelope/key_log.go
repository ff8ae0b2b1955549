package envelope

import (
	"slices"
	"unicode/utf8"
)

const (
	keyLogFormat     = "sealpost-key-log/1"
	keyLogSignersMax = 32
	keyLogPlaceMax   = 1024
	keyLogStepMax    = 32
	keyLogNumberMax  = 1<<31 - 1
)

// LoggedKey is a version of a form's key, by its fingerprints and its reply key. HybridFingerprint is nil where the version has no
// hybrid key, ReplyKey where it has no seed.
type LoggedKey struct {
	Version           int64   `json:"version"`
	Fingerprint       string  `json:"fingerprint"`
	HybridFingerprint *string `json:"hybridFingerprint"`
	ReplyKey          *string `json:"replyKey"`
}

// KeyLogEntry is the content of an entry of a form's key log (specification, section 20). Owners and Managers may sign the next one.
type KeyLogEntry struct {
	Format    string    `json:"format"`
	FormID    string    `json:"formId"`
	Number    int64     `json:"number"`
	Place     int64     `json:"place"`
	Previous  *string   `json:"previous"`
	WrittenAt string    `json:"writtenAt"`
	SignedBy  string    `json:"signedBy"`
	Key       LoggedKey `json:"key"`
	Owners    []string  `json:"owners"`
	Managers  []string  `json:"managers"`
	Extended
}

// KeyLog is a key log whose every entry was verified, but for a pinned one, which is fixed by its hash.
type KeyLog struct {
	Head Head
	// Newest is the newest entry: who seals takes its key alone.
	Newest KeyLogEntry
	// Entries are those that were received.
	Entries []KeyLogEntry
}

// VerifyKeyLog checks a form's key log from the entry on that is pinned, or, without one, from its first entry. The entries before a
// pinned one need not be there. A service answers at most 128 entries at a time: more follow from the head of these. The error is a Refusal.
func VerifyKeyLog(text []byte, formID string, pin *Head) (*KeyLog, error) {
	lines, ok := splitKeyLog(text)
	if !ok || len(lines) == 0 {
		return nil, Malformed
	}
	log := &KeyLog{}
	for _, signed := range lines {
		if err := log.add(signed, formID, pin); err != nil {
			return nil, err
		}
	}
	return log, nil
}

// contains is of a log that was received from its first entry on.
func (log *KeyLog) contains(head Head) bool {
	if head.Number >= log.Head.Number {
		return head == log.Head
	}
	return head.Number >= 1 && *log.Entries[head.Number].Previous == head.Hash // the entry after it: numbers count from 1
}

func (log *KeyLog) add(signed signedLine, formID string, pin *Head) error {
	hash := hashOf(signed.line)
	isPinned := pin != nil && len(log.Entries) == 0
	if isPinned && hash != pin.Hash {
		return Forked
	}
	var entry KeyLogEntry
	isRight := parseLine(signed.line, &entry) && entry.isWellFormed()
	signature, isSignature := parseSignature(signed.signatureLine)
	switch {
	case !isRight || !isSignature:
		return Malformed
	case entry.FormID != formID:
		return OtherForm
	case isPinned && entry.Number != pin.Number:
		return BrokenChain
	}
	if !isPinned {
		if err := log.check(entry, signed.line, signature); err != nil {
			return err
		}
	}
	if entry.hasCritical() {
		return UnknownExtension
	}
	log.Head, log.Newest, log.Entries = Head{entry.Number, hash}, entry, append(log.Entries, entry)
	return nil
}

// check is of an entry that may come next, or first.
func (log *KeyLog) check(entry KeyLogEntry, line, signature []byte) error {
	isFirst := len(log.Entries) == 0
	if entry.Number != log.Head.Number+1 || isFirst != (entry.Previous == nil) || !isFirst && *entry.Previous != log.Head.Hash {
		return BrokenChain
	}
	before := log.Newest
	if isFirst {
		before = entry
	}
	isOwners := slices.Contains(before.Owners, entry.SignedBy)
	isSigner := isOwners || slices.Contains(before.Managers, entry.SignedBy)
	if !isSigner || !isSigned(keyLogFormat, line, signature, entry.SignedBy) {
		return NotSigned
	}
	var isAllowed bool
	switch {
	case isFirst:
		isAllowed = entry.Place == 1
	case isOwners:
		isAllowed = entry.ownersFollows(before)
	default:
		isAllowed = entry.managersFollows(before)
	}
	// A manager's could be one that no program of today continues.
	if !isAllowed || !isOwners && entry.hasCritical() {
		return NotAllowed
	}
	return nil
}

func (entry KeyLogEntry) ownersFollows(before KeyLogEntry) bool {
	steps := entry.Key.Version - before.Key.Version
	mayStep := steps >= 1 && steps <= keyLogStepMax
	if !slices.Contains(entry.Owners, entry.SignedBy) {
		mayStep = entry.Key.isNextOf(before.Key) // an owner in the log alone may be a manager by now
	}
	return entry.Place == 1 && (entry.Key.isSame(before.Key) || mayStep)
}

func (key LoggedKey) isNextOf(former LoggedKey) bool {
	return key.Version == former.Version+1 && (key.HybridFingerprint != nil || former.HybridFingerprint == nil) &&
		(key.ReplyKey != nil || former.ReplyKey == nil)
}

// managersFollows says whether it makes the next version, or takes its signer out, or both, and nothing else.
func (entry KeyLogEntry) managersFollows(before KeyLogEntry) bool {
	others := slices.DeleteFunc(slices.Clone(before.Managers), func(manager string) bool { return manager == entry.SignedBy })
	leaves := slices.Equal(entry.Managers, others)
	isSameSigners := slices.Equal(entry.Owners, before.Owners) && (leaves || slices.Equal(entry.Managers, before.Managers))
	isNext := entry.Key.isNextOf(before.Key)
	if entry.Key.isSame(before.Key) {
		isNext = leaves
	}
	return entry.Place == before.Place+1 && isSameSigners && isNext
}

func (key LoggedKey) isSame(other LoggedKey) bool {
	return key.Version == other.Version && key.Fingerprint == other.Fingerprint &&
		isEqual(key.HybridFingerprint, other.HybridFingerprint) && isEqual(key.ReplyKey, other.ReplyKey)
}

func isEqual(one, other *string) bool {
	return one == nil && other == nil || isSame(one, other)
}

func (entry KeyLogEntry) isWellFormed() bool {
	isPrevious := entry.Number == 1 && entry.Previous == nil || entry.Number > 1 && entry.Previous != nil && isHash(*entry.Previous)
	return entry.Format == keyLogFormat && formPattern.MatchString(entry.FormID) && isUpTo(entry.Number, keyLogNumberMax) &&
		isUpTo(entry.Place, keyLogPlaceMax) && isPrevious && isTime(entry.WrittenAt) && isHash(entry.SignedBy) && entry.Key.isWellFormed() &&
		entry.hasSigners() && entry.Extended.isWellFormed(extensionsBytesMax)
}

func (entry KeyLogEntry) hasSigners() bool {
	count := len(entry.Owners) + len(entry.Managers)
	isBoth := slices.ContainsFunc(entry.Owners, func(owner string) bool { return slices.Contains(entry.Managers, owner) })
	return len(entry.Owners) > 0 && entry.Managers != nil && count <= keyLogSignersMax && !isBoth &&
		areKeys(entry.Owners) && areKeys(entry.Managers)
}

func (key LoggedKey) isWellFormed() bool {
	return isUpTo(key.Version, keyLogNumberMax) && isHash(key.Fingerprint) &&
		(key.HybridFingerprint == nil || isHash(*key.HybridFingerprint)) && (key.ReplyKey == nil || isHash(*key.ReplyKey))
}

func isUpTo(number, largest int64) bool { return number >= 1 && number <= largest }

// areKeys says whether they have the form of keys, in their order, each once.
func areKeys(keys []string) bool {
	for index, key := range keys {
		if !isHash(key) || index > 0 && keys[index-1] >= key {
			return false
		}
	}
	return true
}

// splitKeyLog bounds lines before anything is parsed. Their number has no bound: each has to be signed.
func splitKeyLog(text []byte) ([]signedLine, bool) {
	if !utf8.Valid(text) || len(text) == 0 {
		return nil, false
	}
	lines, ok := splitLines(text)
	if !ok || len(lines)%2 != 0 {
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

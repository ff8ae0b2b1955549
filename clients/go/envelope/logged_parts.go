package envelope

import (
	"context"
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
)

// replyKeyOf follows from the seed of a version (specification, section 2); empty where that has no form.
func replyKeyOf(formID string, version int64, seed string) string {
	bytes, ok := decodeStrictly(seed)
	if !ok {
		return ""
	}
	private, err := hkdf.Key(sha256.New, bytes, nil, fmt.Sprintf("sealpost-reply-signing/1\n%s\n%d", formID, version), ed25519.SeedSize)
	if err != nil {
		panic(err) // only more bytes than HKDF gives
	}
	public := ed25519.NewKeyFromSeed(private).Public().(ed25519.PublicKey)
	return base64.RawURLEncoding.EncodeToString(public)
}

// seenAs is what was remembered of a published key, if it was.
func (head *EnvelopeHead) seenAs(key SeenKey) *SeenKey {
	if head == nil {
		return nil
	}
	index := slices.IndexFunc(head.Keys, func(seen SeenKey) bool { return seen.IsPublished && seen.isSameRSA(key) })
	if index == -1 {
		return nil
	}
	return &head.Keys[index]
}

// asksLog says whether a published key has a hybrid key or a seed that was not remembered before: where the revision names a key log, that decides.
func (head EnvelopeHead) asksLog(content Content, before *EnvelopeHead) bool {
	return head.KeyLog != nil && slices.ContainsFunc(head.Keys, func(key SeenKey) bool {
		seen := before.seenAs(key)
		isWhole := seen != nil && seen.SeedHash != nil && isEqual(seen.HybridFingerprint, content.keyOf(key.Version).HybridFingerprint)
		return key.IsPublished && !isWhole
	})
}

// settledByOwners is the head with the keys that opened has, as far as they were held back and an owner has signed an entry of the key log for them.
func (head EnvelopeHead) settledByOwners(opened EnvelopeHead, log *KeyLog, list *List) EnvelopeHead {
	head.Keys = slices.Clone(head.Keys)
	for index, key := range head.Keys {
		if (key.IsAhead || key.IsUnproven) && log.isSignedByOwner(key, list) {
			head.Keys[index] = opened.Keys[index]
		}
	}
	return head
}

// isSignedByOwner says whether an entry names the key, and somebody has signed it who is an owner now, with a key that they have or had.
func (log *KeyLog) isSignedByOwner(key SeenKey, list *List) bool {
	return log != nil && slices.ContainsFunc(log.Entries, func(entry KeyLogEntry) bool {
		return entry.Key.names(key) && list.isOwnersKey(entry.SignedBy)
	})
}

// isOwnersKey says whether somebody who is an owner has, or had, this signing key.
func (list *List) isOwnersKey(signingKey string) bool {
	had := list.changedBetween(0, list.Head.Number, func(one memberChange) bool {
		return one.before.SigningKey != nil && *one.before.SigningKey == signingKey
	})
	return slices.ContainsFunc(slices.Collect(maps.Values(list.Members)), func(member Member) bool {
		return member.Role == "owner" && (had[member.ID] || member.SigningKey != nil && *member.SigningKey == signingKey)
	})
}

// hasAhead says whether a key was held back, or is unproven.
func (head EnvelopeHead) hasAhead() bool {
	return slices.ContainsFunc(head.Keys, func(key SeenKey) bool { return key.IsAhead || key.IsUnproven })
}

// settledByLog is the head with the hybrid keys and seeds of its published keys as far as the key log has them, whatever the service lists. Another one, and what the log
// can't be asked about because nobody shows it (nil), is not remembered, unless it was before. A key that the log can't have does not become published.
func (head EnvelopeHead) settledByLog(content Content, before *EnvelopeHead, log *KeyLog) EnvelopeHead {
	head.Keys = slices.Clone(head.Keys)
	for index, key := range head.Keys {
		named, seen := log.find(key), before.seenAs(key)
		if seen == nil && !log.mayHave(key) {
			head.Keys[index].IsPublished, head.Keys[index].IsUnproven = false, false
			continue
		}
		if !key.IsPublished || named == nil && log != nil {
			continue
		}
		own := content.keyOf(key.Version)
		if seen == nil || seen.HybridFingerprint == nil {
			head.Keys[index].HybridFingerprint = nil
			if named != nil && isEqual(named.HybridFingerprint, own.HybridFingerprint) {
				head.Keys[index].HybridFingerprint = own.HybridFingerprint
			}
		}
		if seen == nil || seen.SeedHash == nil {
			// An entry without a reply key says nothing about the seed.
			if named == nil || named.ReplyKey != nil && *named.ReplyKey != replyKeyOf(head.FormID, key.Version, own.Seed) {
				head.Keys[index].SeedHash = nil
			}
		}
	}
	return head
}

func (content Content) keyOf(version int64) FormKey {
	return content.Keys[slices.IndexFunc(content.Keys, func(key FormKey) bool { return key.Version == version })]
}

// mayHave says whether a key may be the form's by a log that the service shows: its version is not above the newest entry's, and no entry names another key for it.
func (log *KeyLog) mayHave(key SeenKey) bool {
	if log == nil || key.Version > log.Newest.Key.Version {
		return false
	}
	return !slices.ContainsFunc(log.Entries, func(entry KeyLogEntry) bool {
		return entry.Key.Version == key.Version && entry.Key.Fingerprint != key.Fingerprint
	})
}

// names says whether it is this version with the same RSA key.
func (logged LoggedKey) names(key SeenKey) bool {
	return logged.Version == key.Version && logged.Fingerprint == key.Fingerprint
}

// find gives the key that an entry names for this version, with the same RSA key.
func (log *KeyLog) find(key SeenKey) *LoggedKey {
	if log == nil {
		return nil
	}
	for _, entry := range log.Entries {
		if entry.Key.names(key) {
			return &entry.Key
		}
	}
	return nil
}

// openByLog opens a first sight that lacks what the service lists: of the hybrid keys those are not asked for in whose place the log that counts names others, or
// none.
func (reader *FormReader) openByLog(ctx context.Context, keyLog *formLog, file []byte, expected Expected, givenUp []string) (*Opened, error) {
	lacking := expected
	lacking.IsForgotten = true
	rest, err := reader.openWith(file, lacking)
	if err != nil || rest.Content.KeyLog == nil || slices.Contains(givenUp, rest.Content.KeyLog.Hash) {
		return nil, KeyMissing
	}
	log, err := keyLog.naming(ctx, *rest.Content.KeyLog)
	if err != nil {
		return nil, err
	}
	expected.Published = log.withoutOtherHybrids(expected.Published)
	return reader.openWith(file, expected)
}

// withoutOtherHybrids is the service's list without hybrid keys of keys that the log names with another one, or with none.
func (log *KeyLog) withoutOtherHybrids(published map[int64]PublishedKey) map[int64]PublishedKey {
	asked := maps.Clone(published)
	for version, key := range asked {
		named := log.find(SeenKey{Version: version, Fingerprint: key.Fingerprint})
		if named != nil && (named.HybridFingerprint == nil || *named.HybridFingerprint != key.HybridFingerprint) {
			key.HybridFingerprint = ""
			asked[version] = key
		}
	}
	return asked
}

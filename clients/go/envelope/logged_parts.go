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

// settledByLog is the head with the hybrid keys and seeds of its published keys as far as the key log has them, whatever the service lists. Another one, and what the log
// can't be asked about because nobody shows it (nil), is not remembered, unless it was before.
func (head EnvelopeHead) settledByLog(content Content, before *EnvelopeHead, log *KeyLog) EnvelopeHead {
	head.Keys = slices.Clone(head.Keys)
	for index, key := range head.Keys {
		named := log.find(key)
		if !key.IsPublished || named == nil && log != nil {
			continue
		}
		own, seen := content.keyOf(key.Version), before.seenAs(key)
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

// find gives the key that an entry names for this version, with the same RSA key.
func (log *KeyLog) find(key SeenKey) *LoggedKey {
	if log == nil {
		return nil
	}
	for _, entry := range log.Entries {
		if entry.Key.Version == key.Version && entry.Key.Fingerprint == key.Fingerprint {
			return &entry.Key
		}
	}
	return nil
}

// openByLog opens a first sight that lacks what the service lists: of the hybrid keys those are not asked for in whose place the log that counts names others, or
// none.
func (reader *FormReader) openByLog(ctx context.Context, file []byte, expected Expected, givenUp []string) (*Opened, error) {
	lacking := expected
	lacking.IsForgotten = true
	rest, err := reader.openWith(file, lacking)
	if err != nil || rest.Content.KeyLog == nil || slices.Contains(givenUp, rest.Content.KeyLog.Hash) {
		return nil, KeyMissing
	}
	log, err := reader.namedLog(ctx, expected.FormID, *rest.Content.KeyLog)
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

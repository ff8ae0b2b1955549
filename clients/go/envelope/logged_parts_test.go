package envelope

import (
	"crypto/ed25519"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
)

func TestReplyKeysFollowFromSeeds(t *testing.T) {
	vectors := readVectors[struct {
		Seeds []struct {
			Name, Seed, FormID, ReplyKey string
			Version                      int64
		}
	}](t, "seeds.json")
	for _, vector := range vectors.Seeds {
		if replyKeyOf(vector.FormID, vector.Version, vector.Seed) != vector.ReplyKey {
			t.Error(vector.Name)
		}
	}
	if replyKeyOf("form", 1, "no seed!") != "" {
		t.Error("what is no seed has no reply key")
	}
}

// TestTheKeyLogSaysWhichHybridKeysAndSeedsAreTheForms has words for the parts of a version: "right", "other", "none". The list's is what the opener remembers of it.
func TestTheKeyLogSaysWhichHybridKeysAndSeedsAreTheForms(t *testing.T) {
	const formID = "form_01hk153x00e5rbcwg8rxcnh8w4"
	seeds := map[string]string{"right": strings.Repeat("A", 43), "other": strings.Repeat("B", 42) + "A"}
	optional := func(word string) *string {
		if word == "none" || word == "" {
			return nil
		}
		return &word
	}
	type parts struct{ hybrid, seed string }
	unlogged, unshown := &parts{"unlogged", ""}, (*parts)(nil)
	for name, one := range map[string]struct {
		has               parts
		opened            string // the hybrid key that the list lets it remember
		seen, log         *parts
		isUnpublished     bool
		isSeenUnpublished bool
		want              parts
		isAsked           bool
	}{
		"all of it is the log's":                {parts{"right", "right"}, "right", nil, &parts{"right", "right"}, false, false, parts{"right", "right"}, true},
		"the list lacks the hybrid key":         {parts{"right", "right"}, "none", nil, &parts{"right", "right"}, false, false, parts{"right", "right"}, true},
		"the log names another hybrid key":      {parts{"other", "right"}, "other", nil, &parts{"right", "right"}, false, false, parts{"none", "right"}, true},
		"the log names no hybrid key":           {parts{"other", "right"}, "other", nil, &parts{"none", "right"}, false, false, parts{"none", "right"}, true},
		"the log names another seed":            {parts{"right", "other"}, "right", nil, &parts{"right", "right"}, false, false, parts{"right", "none"}, true},
		"the log names no reply key":            {parts{"right", "other"}, "right", nil, &parts{"right", "none"}, false, false, parts{"right", "other"}, true},
		"the log does not name the version":     {parts{"other", "other"}, "other", nil, unlogged, false, false, parts{"other", "other"}, true},
		"it is not published":                   {parts{"other", "other"}, "other", nil, &parts{"right", "right"}, true, false, parts{"other", "other"}, false},
		"it was remembered before":              {parts{"other", "other"}, "other", &parts{"other", "other"}, &parts{"right", "right"}, false, false, parts{"other", "other"}, false},
		"it was seen before it was published":   {parts{"other", "right"}, "other", &parts{"other", "right"}, &parts{"right", "right"}, false, true, parts{"none", "right"}, true},
		"its seed was not remembered":           {parts{"right", "other"}, "right", &parts{"right", "none"}, &parts{"right", "right"}, false, false, parts{"right", "none"}, true},
		"its hybrid key was not remembered":     {parts{"other", "right"}, "other", &parts{"none", "right"}, &parts{"right", "right"}, false, false, parts{"none", "right"}, true},
		"the right parts come later":            {parts{"right", "right"}, "right", &parts{"none", "none"}, &parts{"right", "right"}, false, false, parts{"right", "right"}, true},
		"nobody shows the log any longer":       {parts{"other", "other"}, "other", &parts{"none", "none"}, unshown, false, false, parts{"none", "none"}, true},
		"nobody shows the log, and it was seen": {parts{"other", "other"}, "other", &parts{"other", "other"}, unshown, false, false, parts{"other", "other"}, false},
	} {
		seedHash := func(word string) *string { return optional(word) }
		content := Content{FormID: formID, Keys: []FormKey{{Version: 2, Fingerprint: "rsa", HybridFingerprint: optional(one.has.hybrid), Seed: seeds[one.has.seed]}}}
		head := EnvelopeHead{FormID: formID, KeyLog: &Head{1, "entry"}, Keys: []SeenKey{
			{Version: 2, Fingerprint: "rsa", HybridFingerprint: optional(one.opened), SeedHash: seedHash(one.has.seed), IsPublished: !one.isUnpublished}}}
		var before *EnvelopeHead
		if one.seen != nil {
			before = &EnvelopeHead{Keys: []SeenKey{{Version: 2, Fingerprint: "rsa", HybridFingerprint: optional(one.seen.hybrid), SeedHash: seedHash(one.seen.seed), IsPublished: !one.isSeenUnpublished}}}
		}
		var log *KeyLog
		if one.log != nil {
			// An entry of the same version with another RSA key says nothing of this one.
			log = &KeyLog{Entries: []KeyLogEntry{{Key: LoggedKey{Version: 2, Fingerprint: "another", HybridFingerprint: optional("other")}}}}
			if (one.seen == nil || one.isSeenUnpublished) && one.log != unlogged {
				// It is no published key where another one of its version is named.
				log.Entries = nil
			}
			if one.log != unlogged {
				logged := LoggedKey{Version: 2, Fingerprint: "rsa", HybridFingerprint: optional(one.log.hybrid)}
				if one.log.seed != "none" {
					replyKey := replyKeyOf(formID, 2, seeds[one.log.seed])
					logged.ReplyKey = &replyKey
				}
				log.Entries = append(log.Entries, KeyLogEntry{Key: logged})
			}
			log.Newest.Key.Version = 2
		}
		if head.asksLog(content, before) != one.isAsked {
			t.Errorf("%s: asked is %t", name, !one.isAsked)
		}
		got := head.settledByLog(content, before, log).Keys[0]
		if !isEqual(got.HybridFingerprint, optional(one.want.hybrid)) || !isEqual(got.SeedHash, seedHash(one.want.seed)) {
			t.Errorf("%s: %+v", name, got)
		}
		head.KeyLog = nil
		if head.asksLog(content, before) {
			t.Errorf("%s: a log that no revision names is asked", name)
		}
	}
}

func TestAKeyThatTheKeyLogCanNotHaveDoesNotBecomePublished(t *testing.T) {
	named := func(version int64, fingerprint string) KeyLogEntry {
		return KeyLogEntry{Key: LoggedKey{Version: version, Fingerprint: fingerprint}}
	}
	for _, one := range []struct {
		what           string
		entries        []KeyLogEntry
		isSeen, isAway bool
	}{
		{"named", []KeyLogEntry{named(1, "first"), named(2, "rsa")}, false, false},
		{"left out below the newest", []KeyLogEntry{named(1, "first"), named(3, "third")}, false, false},
		{"above the newest entry's", []KeyLogEntry{named(1, "first")}, false, true},
		{"named with another fingerprint", []KeyLogEntry{named(1, "first"), named(2, "another"), named(3, "third")}, false, true},
		{"not shown", nil, false, true},
		{"above the newest entry's, and seen as published", []KeyLogEntry{named(1, "first")}, true, false},
		{"not shown, and seen as published", nil, true, false},
	} {
		key := SeenKey{Version: 2, Fingerprint: "rsa", IsPublished: true}
		content := Content{Keys: []FormKey{{Version: 2, Fingerprint: "rsa"}}}
		var before *EnvelopeHead
		if one.isSeen {
			before = &EnvelopeHead{Keys: []SeenKey{key}}
		}
		var log *KeyLog
		if one.entries != nil {
			log = &KeyLog{Entries: one.entries, Newest: one.entries[len(one.entries)-1]}
		}
		head := EnvelopeHead{KeyLog: &Head{1, "entry"}, Keys: []SeenKey{key}}.settledByLog(content, before, log)
		if head.Keys[0].IsPublished == one.isAway {
			t.Errorf("%s: published is %t", one.what, !one.isAway)
		}
	}
}

// TestNoFormerSignerNorTheServiceMakesAKeyTheForms has each writer of a revision with each state of a key in the head that was seen, and each entry of the log.
func TestNoFormerSignerNorTheServiceMakesAKeyTheForms(t *testing.T) {
	owner, former := "owner's key", "former owner's key"
	list := &List{Members: map[string]Member{"a": {Role: "owner", SigningKey: &owner}, "b": {Role: "manager", SigningKey: &former}, "c": {Role: "program"}}}
	entryOf := func(fingerprint, signedBy string) *KeyLog {
		return &KeyLog{Entries: []KeyLogEntry{{Key: LoggedKey{Version: 2, Fingerprint: fingerprint}, SignedBy: signedBy}}}
	}
	logs := map[string]*KeyLog{"none": nil, "owner's": entryOf("rsa", owner), "former owner's": entryOf("rsa", former), "of another key": entryOf("another", owner)}
	seed := "seed"
	first := SeenKey{Version: 1, Fingerprint: "first", SeedHash: &seed, IsPublished: true}
	key := SeenKey{Version: 2, Fingerprint: "rsa", SeedHash: &seed, IsPublished: true}
	published := map[int64]PublishedKey{1: {Fingerprint: "first"}, 2: {Fingerprint: "rsa"}}
	for name, by := range map[string]signer{"somebody": {}, "former": {isFormer: true}, "own": {isOwn: true}} {
		for _, isNext := range []bool{true, false} {
			for _, seen := range []string{"published", "unproven", "plain", "ahead", "lacking"} {
				for what, log := range logs {
					before := &EnvelopeHead{Revision: 7, Keys: []SeenKey{first}}
					if seen != "lacking" {
						kept := key
						kept.IsPublished, kept.IsAhead = seen == "published" || seen == "unproven", seen == "ahead"
						kept.IsUnproven = seen == "unproven"
						before.Keys = append(before.Keys, kept)
					}
					head := EnvelopeHead{Revision: 7, Keys: []SeenKey{first, key}}
					if isNext {
						head.Revision = 8
					}
					isProving := isNext && name == "somebody"
					wantsAhead := seen == "ahead" && !isProving && what != "owner's"
					wantsUnproven := (seen == "unproven" && !isProving || seen == "lacking" && name == "former") && what != "owner's"
					settled := head.settled(before, published, by)
					if settled.hasAhead() != (settled.Keys[1].IsAhead || settled.Keys[1].IsUnproven) {
						t.Error(settled)
					}
					got := settled.settledByOwners(head, log, list)
					if got.Keys[1].IsPublished == wantsAhead || got.Keys[1].IsAhead != wantsAhead || got.Keys[1].IsUnproven != wantsUnproven || !got.Keys[0].IsPublished {
						t.Errorf("%s, next %t, %s, log %s: %+v", name, isNext, seen, what, got.Keys)
					}
				}
			}
		}
	}
}

func TestASeedThatTheKeyLogDeniesIsNotRememberedAndTheRightOneFollows(t *testing.T) {
	for _, isGivenUp := range []bool{false, true} {
		world, ctx := readCouncil(t), t.Context()
		heads, _ := headFileOf(t)
		service, formID, right := world.service(), world.first.FormID, world.first.Keys
		replyKey := replyKeyOf(formID, 1, right[0].Seed)
		line, log := world.keyLogOf(t, LoggedKey{Version: 1, Fingerprint: right[0].Fingerprint, HybridFingerprint: right[0].HybridFingerprint, ReplyKey: &replyKey})
		named := Head{1, hashOf(line)}
		service.keyLog = log
		service.published = map[int64]PublishedKey{1: {Fingerprint: right[0].Fingerprint}}
		if isGivenUp {
			if err := revise(heads, givenUpName(formID), func([]string) ([]string, bool) { return []string{named.Hash}, true }); err != nil {
				t.Fatal(err)
			}
		}
		reader := world.reader(t, service, heads, world.headText())
		world.first.KeyLog, world.first.Keys = &named, slices.Clone(right)
		_, private, _ := ed25519.GenerateKey(nil)
		world.first.Keys[0].Seed = base64.RawURLEncoding.EncodeToString(private.Seed())
		service.files = map[int64][]byte{1: world.revise(t, 2, 1)}
		form, err := reader.Open(ctx, formID)
		if err != nil || len(form.Refused) > 0 || (form.Envelopes[0].Head.Keys[0].SeedHash == nil) == isGivenUp {
			t.Fatalf("given up %t: %+v %v", isGivenUp, form, err)
		}
		world.first.Keys = right
		service.files = map[int64][]byte{1: world.revise(t, 3, 1)}
		form, err = reader.Open(ctx, formID)
		if err != nil || (len(form.Refused) > 0) != isGivenUp {
			t.Fatalf("given up %t: %+v %v", isGivenUp, form, err)
		}
		if !isGivenUp && form.Envelopes[0].Head.Keys[0].SeedHash == nil {
			t.Error("the right seed is not remembered")
		}
	}
}

func TestTheKeyLogDecidesWhichHybridKeyAFirstSightHasToHave(t *testing.T) {
	other := hashOf([]byte("a hybrid key"))
	for _, logged := range []string{"other", "another", "none"} {
		for _, listed := range []string{"other", ""} {
			for _, log := range []string{"shown", "hidden", "given up"} {
				world, ctx := readCouncil(t), t.Context()
				heads, _ := headFileOf(t)
				service, formID, key := world.service(), world.first.FormID, world.first.Keys[0]
				fingerprints := map[string]*string{"other": &other, "another": &key.Fingerprint, "none": nil} // the envelope has none
				line, text := world.keyLogOf(t, LoggedKey{Version: 1, Fingerprint: key.Fingerprint, HybridFingerprint: fingerprints[logged]})
				named := PublishedKey{Fingerprint: key.Fingerprint}
				if listed != "" {
					named.HybridFingerprint = *fingerprints[listed]
				}
				service.published = map[int64]PublishedKey{1: named}
				if log != "hidden" {
					service.keyLog = text
				}
				if log == "given up" {
					put(t, heads, givenUpName(formID), `["`+hashOf(line)+`"]`)
				}
				world.first.SignedBy, world.first.KeyLog = idOfRole(world.list, "manager"), &Head{1, hashOf(line)}
				service.files[1] = world.revise(t, 2, 1)
				form, err := world.reader(t, service, heads, world.headText()).Open(ctx, formID)
				want := map[bool]error{true: KeyMissing}[listed == "other" && (log != "shown" || logged == "other")]
				if want == nil && log == "hidden" {
					want = UnknownKeyLog
				}
				if err != nil || reasonOf(form, err) != want {
					t.Errorf("log %s, %s, list %s: %v %v", logged, log, listed, form, err)
				}
			}
		}
	}
}

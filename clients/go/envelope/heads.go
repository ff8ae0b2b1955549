package envelope

import (
	"encoding/json"
	"slices"
)

// Store keeps heads by name. NewHeadFile keeps them in a file; anything with transactions will do. One store is for one identity.
type Store interface {
	// Find gives nil where nothing is kept under the name.
	Find(name string) (json.RawMessage, error)
	// Change replaces the value in one transaction, unless change gives nil.
	Change(name string, change func(before json.RawMessage) (json.RawMessage, error)) error
}

// formHeads are the envelopes of a form as they were last seen.
type formHeads struct {
	Heads     []EnvelopeHead `json:"heads"`
	IsRemoved bool           `json:"isRemoved"`
	// IsForgotten: somebody has put the heads aside with the command line. What the next sight lacks was looked at.
	IsForgotten bool `json:"isForgotten,omitempty"`
	// Unlisted were seen for the first time where the service did not say which keys they have to have. They are no part of the form head: until it does, lower
	// revisions and others of the same number are refused by them, and nothing else.
	Unlisted []EnvelopeHead `json:"unlisted,omitempty"`
	// Unshown are the entries of key logs that envelopes name and the service did not show, as the command line notes them: no log without them is written to.
	Unshown []unshownLog `json:"unshown,omitempty"`
	// SeenAgain are first versions of envelopes that were among those, and were forgotten when the service listed their keys, until a person has said to the command line
	// that they know.
	SeenAgain []int64 `json:"seenAgain,omitempty"`
}

type unshownLog struct {
	FirstVersion int64 `json:"firstVersion"`
	KeyLog       Head  `json:"keyLog"`
}

// findApart gives what is kept apart of an envelope, as long as the service lists no version of it.
func (kept formHeads) findApart(published map[int64]PublishedKey, firstVersion int64) *EnvelopeHead {
	return findHead(unlisted(kept.Unlisted, published), firstVersion)
}

// refusesBy says whether a revision is another one than was kept apart, and does not come after that.
func (head EnvelopeHead) refusesBy(apart *EnvelopeHead) error {
	switch {
	case apart == nil || head.Revision > apart.Revision || head.Hash == apart.Hash:
		return nil
	case head.Revision < apart.Revision:
		return OldRevision
	}
	return Forked
}

// unlisted are those of these heads of which the service lists no version.
func unlisted(heads []EnvelopeHead, published map[int64]PublishedKey) []EnvelopeHead {
	return slices.DeleteFunc(slices.Clone(heads), func(head EnvelopeHead) bool { return listsAny(published, head.FirstVersion) })
}

// listsAny says whether the service lists a version that has its place in an envelope. Where it lists none, nobody can say which keys that one has to have.
func listsAny(published map[int64]PublishedKey, firstVersion int64) bool {
	for version := range published {
		if firstVersionOf(version) == firstVersion {
			return true
		}
	}
	return false
}

const organizationName = "organization"

func listName(organizationID string) string { return "list " + organizationID }
func formName(formID string) string         { return "form " + formID }
func ownerName(formID string) string        { return "organization of " + formID }

// givenUpName is for the hashes of entries of key logs of which somebody has said, to the command line, that they were given up.
func givenUpName(formID string) string { return "given up key logs of " + formID }

// find gives the zero value where nothing is kept. Only this file writes these names, so each has the type that it is read as.
func find[Value any](store Store, name string) (value Value, err error) {
	text, err := store.Find(name)
	if err != nil || text == nil || string(text) == "null" {
		return value, err
	}
	return value, json.Unmarshal(text, &value)
}

// revise replaces a value if decide says so.
func revise[Value any](store Store, name string, decide func(before Value) (Value, bool)) error {
	return store.Change(name, func(text json.RawMessage) (json.RawMessage, error) {
		var before Value
		if text != nil && string(text) != "null" {
			if err := json.Unmarshal(text, &before); err != nil {
				return nil, err
			}
		}
		after, isChanged := decide(before)
		if !isChanged {
			return nil, nil
		}
		return json.Marshal(after)
	})
}

// advanceList says whether the head was still before: another program may have seen more.
func advanceList(store Store, organizationID string, before *Head, after Head) (isAdvanced bool, err error) {
	err = revise(store, listName(organizationID), func(kept *Head) (*Head, bool) {
		isAdvanced = (kept == nil) == (before == nil) && (kept == nil || kept.Hash == before.Hash)
		return &after, isAdvanced
	})
	return isAdvanced, err
}

func advanceEnvelope(store Store, before *EnvelopeHead, after EnvelopeHead, isUnlisted bool) (isAdvanced bool, err error) {
	err = revise(store, formName(after.FormID), func(kept formHeads) (formHeads, bool) {
		known := kept.Heads
		if isUnlisted {
			known = kept.Unlisted
		}
		seen := findHead(known, after.FirstVersion)
		isAdvanced = (seen == nil) == (before == nil) && (seen == nil || seen.Hash == before.Hash)
		without := func(heads []EnvelopeHead) []EnvelopeHead {
			return slices.DeleteFunc(slices.Clone(heads), func(head EnvelopeHead) bool { return head.FirstVersion == after.FirstVersion })
		}
		// It has taken the place of the revision that named it.
		unshown := slices.DeleteFunc(slices.Clone(kept.Unshown), func(one unshownLog) bool { return one.FirstVersion == after.FirstVersion })
		next := formHeads{Heads: kept.Heads, Unlisted: without(kept.Unlisted), Unshown: unshown, SeenAgain: kept.SeenAgain}
		if isUnlisted {
			next.Unlisted = append(next.Unlisted, after)
		} else {
			next.Heads = append(without(kept.Heads), after)
		}
		return next, isAdvanced
	})
	return isAdvanced, err
}

// dropListed forgets what was seen apart of envelopes of which the service lists a version by now: their next sight is the first.
func dropListed(store Store, formID string, published map[int64]PublishedKey) error {
	return revise(store, formName(formID), func(kept formHeads) (formHeads, bool) {
		before := kept.Unlisted
		kept.Unlisted = unlisted(kept.Unlisted, published)
		for _, head := range before {
			if listsAny(published, head.FirstVersion) && !slices.Contains(kept.SeenAgain, head.FirstVersion) {
				kept.SeenAgain = append(kept.SeenAgain, head.FirstVersion)
			}
		}
		return kept, len(kept.Unlisted) < len(before)
	})
}

// claim notes something the first time. Whether it is what was noted.
func claim(store Store, name, value string) (isSame bool, err error) {
	err = revise(store, name, func(kept string) (string, bool) {
		isSame = kept == "" || kept == value
		return value, kept == ""
	})
	return isSame, err
}

func findHead(heads []EnvelopeHead, firstVersion int64) *EnvelopeHead {
	for index := range heads {
		if heads[index].FirstVersion == firstVersion {
			return &heads[index]
		}
	}
	return nil
}

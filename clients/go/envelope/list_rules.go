package envelope

import (
	"slices"
)

func (list *List) allows(signer Member, next change) bool {
	if next.kind == "begin" {
		return list.mayBegin(signer, *next.member)
	}
	if !mayUsePlace(list.partEntries+1, signer.Role, next.kind) {
		return false
	}
	switch next.kind {
	case "note", "name":
		return signer.Role == "owner"
	case "vouch":
		return !slices.ContainsFunc(next.vouched, func(id string) bool { return !list.mayVouch(signer, id) })
	case "carry":
		if signer.Role != "owner" || !list.isBeginning() {
			return false
		}
	}
	before, isThere := list.Members[next.id]
	if isThere == (next.kind == "add" || next.kind == "carry") || !list.isInOrder(next) {
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

// mayBegin is for owners, who keep their signing keys, and for recovery keys, for others than the recovery keys that were there. What was not received is
// not compared.
func (list *List) mayBegin(signer, member Member) bool {
	if member.Role != "owner" {
		return false
	}
	if signer.Role != "recovery" {
		isSelf := signer.ID == member.ID && isSame(signer.SigningKey, member.SigningKey)
		return isSelf && (len(list.entries) == 0 || signer.Role == "owner")
	}
	for _, other := range list.Members {
		isKey := other.ID == member.ID || other.Recipient == member.Recipient || isSame(other.SigningKey, member.SigningKey)
		if other.Role == "recovery" && isKey {
			return false
		}
	}
	return !isSame(signer.SigningKey, member.SigningKey)
}

// isBeginning says whether members may be carried into the part: nothing else has come since it was begun.
func (list *List) isBeginning() bool {
	last := list.entries[len(list.entries)-1].change.kind
	return last == "begin" || last == "carry"
}

// mayVouch is for owners, for everybody but themselves, and for managers, for those whom they may change.
func (list *List) mayVouch(signer Member, id string) bool {
	member, isThere := list.Members[id]
	if !isThere || id == signer.ID {
		return false
	}
	return signer.Role == "owner" || signer.Role == "manager" && mayChange(signer, &member, &member)
}

func mayUsePlace(place int, role, kind string) bool {
	switch {
	case place <= openPlaces:
		return true
	case place <= ownerPlaces:
		return role == "owner" || role == "recovery"
	}
	return place <= entriesMax && role == "owner" && kind == "remove"
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
	if next.kind == "begin" {
		clear(members)
	}
	if next.member != nil {
		members[next.id] = *next.member
	} else {
		delete(members, next.id)
	}
}

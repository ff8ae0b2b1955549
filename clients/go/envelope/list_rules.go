package envelope

import (
	"slices"
)

func (list *List) allows(signer Member, next change) bool {
	if list.nextPlace(signer) > placesMax {
		return false
	}
	switch next.kind {
	case "note", "name":
		return signer.Role == "owner"
	case "vouch":
		// Somebody else may have given them another key while the person was asked, whose word is not for that.
		return !slices.ContainsFunc(next.vouched, func(id string) bool { return !list.mayVouch(signer, id) || list.changed[id] > next.shown })
	}
	before, isThere := list.Members[next.id]
	if isThere == (next.kind == "add") || !list.isInOrder(next) {
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

// mayVouch is for owners, for everybody but themselves, and for managers, for those whom they may change.
func (list *List) mayVouch(signer Member, id string) bool {
	member, isThere := list.Members[id]
	if !isThere || id == signer.ID {
		return false
	}
	return signer.Role == "owner" || signer.Role == "manager" && mayChange(signer, &member, &member)
}

// nextPlace is that of an entry which this member signs: managers, and members who sign about themselves, write so many after one of an owner or a recovery key.
func (list *List) nextPlace(signer Member) int {
	if signer.Role == "owner" || signer.Role == "recovery" {
		return 1
	}
	return list.place + 1
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
	// Terms can't have another role: nobody answers for a program or on paper.
	isPerson := after.Role != "program" && after.Role != "recovery"
	return isByOthers && isPerson && mayChange(maker, before, &after)
}

func isSame(one, other *string) bool { return one != nil && other != nil && *one == *other }

func apply(members map[string]Member, next change) {
	if next.member != nil {
		members[next.id] = *next.member
	} else {
		delete(members, next.id)
	}
}

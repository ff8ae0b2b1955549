package envelope

import (
	"maps"
	"slices"
	"strings"
)

// Edges say who vouches for the keys, the role and the name of a member: sets of ids of members, each of which is enough, ascending; none where nobody does any
// more. OwnWord has those of keys and name that the member has set since.
type Edges struct {
	Keys    [][]string `json:"keys"`
	Role    [][]string `json:"role"`
	Name    [][]string `json:"name"`
	OwnWord []string   `json:"ownWord"`
}

// kinds are those that somebody else vouches for, each by an edge of its own.
var kinds = []string{"keys", "role", "name"}

func (edges *Edges) of(kind string) *[][]string {
	switch kind {
	case "keys":
		return &edges.Keys
	case "role":
		return &edges.Role
	}
	return &edges.Name
}

// backing is a set of members who have vouched together, by the entry of this number.
type backing struct {
	entry int64
	ids   []string
}

// edge has all who have vouched for the present value, those who were cut since too, and the number of the last entry by which the member alone has set it, or
// 0.
type edge struct {
	backings []backing
	ownSince int64
}

// Edges of the present members.
func (list *List) Edges() map[string]*Edges {
	walk := edgeWalk{map[string]Member{}, map[string]map[string]*edge{}, map[string]cutting{}, map[string][]givenRole{}}
	for index, known := range list.entries {
		one, number := known.change, int64(index)+1
		walk.cut(one, number)
		before, signer := walk.members[one.id], walk.members[one.signedBy]
		apply(walk.members, one)
		walk.set(one, number, before, signer)
	}
	all := map[string]*Edges{}
	for id, own := range walk.edges {
		all[id] = walk.live(id, own)
	}
	return all
}

func (walk *edgeWalk) live(id string, own map[string]*edge) *Edges {
	edges := &Edges{OwnWord: []string{}}
	for _, kind := range kinds {
		sets, isOwn := map[string][]string{}, own[kind].ownSince > 0
		for _, one := range own[kind].backings {
			if !walk.isCut(id, one) {
				sets[strings.Join(one.ids, " ")] = one.ids
				isOwn = isOwn && one.entry < own[kind].ownSince
			}
		}
		*edges.of(kind) = [][]string{}
		for _, key := range slices.Sorted(maps.Keys(sets)) {
			*edges.of(kind) = append(*edges.of(kind), sets[key])
		}
		if isOwn {
			edges.OwnWord = append(edges.OwnWord, kind)
		}
	}
	return edges
}

// cutting has the number of the last entry that cut all edges that led to a member: of what leads from the founder to themself not by their own new key.
type cutting struct{ ofOthers, ofFounder int64 }

// givenRole is a role that the entry of this number gave a member.
type givenRole struct {
	entry int64
	role  string
}

// edgeWalk notes what entries have taken from backers, so that nothing is looked for in all edges at each entry.
type edgeWalk struct {
	members map[string]Member
	edges   map[string]map[string]*edge
	all     map[string]cutting
	roles   map[string][]givenRole
}

// memberChange is what an entry makes of a member who is there before it. after is nil where they are removed.
type memberChange struct {
	id, signedBy string
	before       Member
	after        *Member
}

// changeBy gives nil where the entry changes no member who is there.
func changeBy(members map[string]Member, one change) *memberChange {
	before, isThere := members[one.id]
	if !isThere || one.kind != "remove" && one.kind != "replace" {
		return nil
	}
	return &memberChange{one.id, one.signedBy, before, one.member}
}

func (change memberChange) isByOthers() bool { return change.signedBy != change.id }

// isLosingEdges says whether no edge at all can lead to the changed one from then on: they could not be set so by who that one is now, or by who has the key now.
func (change memberChange) isLosingEdges() bool {
	switch {
	case change.after == nil:
		return true
	case !isSameKey(change.before.SigningKey, change.after.SigningKey):
		return true
	case change.after.Role == change.before.Role || change.after.Role == "owner":
		return false
	}
	return change.after.Role != "manager"
}

func isHigh(role string) bool { return roles[role].rank >= roles["manager"].rank }

// changedBetween gives the ids of the members whom an entry after from, up to to, changes so, whatever they are by then.
func (list *List) changedBetween(from, to int64, isSo func(memberChange) bool) map[string]bool {
	members, ids := map[string]Member{}, map[string]bool{}
	for index, known := range list.entries[:min(to, list.Head.Number)] {
		if one := changeBy(members, known.change); one != nil && int64(index) >= from && isSo(*one) {
			ids[one.id] = true
		}
		apply(members, known.change)
	}
	return ids
}

func (walk *edgeWalk) cut(one change, number int64) {
	change := changeBy(walk.members, one)
	if change == nil || !change.isLosingEdges() {
		return
	}
	cut := cutting{number, number}
	if isOwnKey := !change.isByOthers() && change.after != nil && change.after.Role == change.before.Role; isOwnKey {
		cut.ofFounder = walk.all[one.id].ofFounder
	}
	walk.all[one.id] = cut
}

// isCut says whether one of these backers of a member has lost what they vouched by since they did, or the member has got a role for which that is not enough.
func (walk *edgeWalk) isCut(memberID string, one backing) bool {
	return slices.ContainsFunc(one.ids, func(id string) bool {
		last := walk.all[id].ofOthers
		if id == memberID {
			last = walk.all[id].ofFounder
		}
		return last > one.entry || walk.lastAbove(memberID, id) > one.entry
	})
}

// lastAbove is the number of the last entry that gave one of the two a role, with which the member is an owner, a manager or a recovery key, and the backer can
// vouch for none of these, whichever of them changed; 0 without one.
func (walk *edgeWalk) lastAbove(memberID, backer string) int64 {
	given, held := walk.roles[memberID], walk.roles[backer]
	for len(given) > 0 && len(held) > 0 {
		one, other := given[len(given)-1], held[len(held)-1]
		if isHigh(one.role) && other.role != "owner" && other.role != "recovery" {
			return max(one.entry, other.entry)
		}
		if one.entry >= other.entry {
			given = given[:len(given)-1]
		}
		if other.entry >= one.entry {
			held = held[:len(held)-1]
		}
	}
	return 0
}

func isSameKey(one, other *string) bool { return one == nil && other == nil || isSame(one, other) }

// set takes the changed member and the signer as they are before the entry.
func (walk *edgeWalk) set(one change, number int64, before, signer Member) {
	switch one.kind {
	case "remove":
		delete(walk.edges, one.id)
	case "vouch":
		// Next to those who have vouched before: who leaves could otherwise take everybody along.
		for _, id := range one.vouched {
			for _, kind := range kinds {
				walk.edges[id][kind].backings = append(walk.edges[id][kind].backings, backing{number, []string{one.signedBy}})
			}
		}
	case "add":
		// The founder's lead to the founder, who signs.
		walk.edges[one.id] = map[string]*edge{}
		for _, kind := range kinds {
			walk.edges[one.id][kind] = &edge{backings: []backing{{number, one.backers()}}}
		}
		walk.roles[one.id] = append(walk.roles[one.id], givenRole{number, one.member.Role})
	case "replace":
		own := walk.edges[one.id]
		changed := kindsChanged(before, *one.member)
		// Who lets somebody in, or makes them an owner by paper, vouches for what stays, too: a recovery key writes no vouch after it.
		isLookedAt := one.admission != nil || signer.Role == "recovery" && before.Role != one.member.Role
		for _, kind := range kinds {
			switch isChanged := slices.Contains(changed, kind); {
			case isChanged && one.signedBy != one.id:
				own[kind] = &edge{backings: []backing{{number, one.backers()}}}
			case isChanged && kind != "role":
				own[kind].ownSince = number
			case !isChanged && isLookedAt:
				own[kind].backings = append(own[kind].backings, backing{number, one.backers()})
			}
		}
		walk.roles[one.id] = append(walk.roles[one.id], givenRole{number, one.member.Role})
	}
}

// backers are the signer, and the maker of the admission that the entry uses up: ascending, each once.
func (one change) backers() []string {
	ids := []string{one.signedBy}
	if one.admission != nil {
		ids = append(ids, one.admission.Maker)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// isFounder says whether this is the member of entry 1, an owner by nobody else's word, whose keys nobody else has set: nobody else's edges lead to themself.
func (edges *Edges) isFounder(id string) bool {
	return slices.ContainsFunc(edges.Keys, func(ids []string) bool { return slices.Equal(ids, []string{id}) })
}

func kindsChanged(one, other Member) []string {
	var changed []string
	if one.Recipient != other.Recipient || !isSameKey(one.SigningKey, other.SigningKey) {
		changed = append(changed, "keys")
	}
	if one.Role != other.Role {
		changed = append(changed, "role")
	}
	if one.Commitment != other.Commitment {
		changed = append(changed, "name")
	}
	return changed
}

// Vouched are the ids of the members who are vouched for: the one with this recipient and signing key, which are those of who asks (a program has no signing
// key; both empty: nobody's); the founder, as long as an edge of the keys leads to themself; and those of whose edges each leads to a set of nobody else than
// these. Members who vouch for each other in a circle are not.
func (list *List) Vouched(recipient, signingKey string) map[string]bool {
	var own *string
	if signingKey != "" {
		own = &signingKey
	}
	edges, vouched := list.Edges(), map[string]bool{}
	for id, member := range list.Members {
		isSelf := member.Recipient == recipient && isSameKey(member.SigningKey, own)
		if isSelf || edges[id].isFounder(id) {
			vouched[id] = true
		}
	}
	type lead struct {
		id, kind string
		ids      []string
	}
	leads, found := map[string][]lead{}, map[string]map[string]bool{}
	for id, own := range edges {
		found[id] = map[string]bool{}
		for _, kind := range kinds {
			for _, ids := range *own.of(kind) {
				for _, backer := range ids {
					leads[backer] = append(leads[backer], lead{id, kind, ids})
				}
			}
		}
	}
	// Each set of backers is looked at once for each of them, however long the chains are.
	for queue := slices.Collect(maps.Keys(vouched)); len(queue) > 0; queue = queue[1:] {
		for _, one := range leads[queue[0]] {
			if slices.ContainsFunc(one.ids, func(backer string) bool { return !vouched[backer] }) {
				continue
			}
			found[one.id][one.kind] = true
			if len(found[one.id]) == len(kinds) && !vouched[one.id] {
				vouched[one.id] = true
				queue = append(queue, one.id)
			}
		}
	}
	return vouched
}

package envelope

import (
	"slices"
)

// Edges say who vouches for the keys, the role and the name of a member, by the ids of members; each of them is empty where nobody does any more. OwnWord has
// those of keys and name that the member has set since.
type Edges struct {
	Keys    []string `json:"keys"`
	Role    []string `json:"role"`
	Name    []string `json:"name"`
	OwnWord []string `json:"ownWord"`
}

// kinds are those that somebody else vouches for, each by an edge of its own.
var kinds = []string{"keys", "role", "name"}

func (edges *Edges) of(kind string) *[]string {
	switch kind {
	case "keys":
		return &edges.Keys
	case "role":
		return &edges.Role
	}
	return &edges.Name
}

// set makes an edge lead to these, and the value no longer the member's own word.
func (edges *Edges) set(kind string, ids []string) {
	*edges.of(kind) = ids
	edges.OwnWord = slices.DeleteFunc(slices.Clone(edges.OwnWord), func(word string) bool { return word == kind })
}

// Edges of the present members.
func (list *List) Edges() map[string]*Edges {
	walk := edgeWalk{members: map[string]Member{}, edges: map[string]*Edges{}}
	for _, known := range list.entries {
		one := known.change
		walk.cut(one)
		before, signer := walk.members[one.id], walk.members[one.signedBy]
		apply(walk.members, one)
		walk.set(one, before, signer)
	}
	return walk.edges
}

type edgeWalk struct {
	members map[string]Member
	edges   map[string]*Edges
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

// isCutting says whether edges of a member of this role that lead to the changed one lead nowhere from then on: they could not be set so by who that one is
// now.
func (change memberChange) isCutting(role string) bool {
	switch {
	case change.after == nil:
		return true
	case !isSameKey(change.before.SigningKey, change.after.SigningKey) && change.isByOthers():
		return true
	case change.after.Role == change.before.Role || change.after.Role == "owner":
		return false
	}
	return change.after.Role != "manager" || roles[role].rank >= roles["manager"].rank
}

// isLosingEdges says whether no edge at all leads to the changed one from then on.
func (change memberChange) isLosingEdges() bool { return change.isCutting("reader") }

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

func (walk *edgeWalk) cut(one change) {
	change := changeBy(walk.members, one)
	if change == nil {
		return
	}
	for id, own := range walk.edges {
		for _, kind := range kinds {
			if change.isCutting(walk.members[id].Role) && slices.Contains(*own.of(kind), one.id) {
				*own.of(kind) = []string{}
			}
		}
	}
}

func isSameKey(one, other *string) bool { return one == nil && other == nil || isSame(one, other) }

func (walk *edgeWalk) set(one change, before, signer Member) {
	switch one.kind {
	case "remove":
		delete(walk.edges, one.id)
	case "vouch":
		for _, id := range one.vouched {
			walk.edges[id].vouch(signer, id)
		}
	case "add":
		// The founder's lead to the founder, who signs.
		walk.edges[one.id] = toAll(one.backers())
	case "replace":
		own := walk.edges[one.id]
		for _, kind := range kindsChanged(before, *one.member) {
			if one.signedBy != one.id {
				own.set(kind, one.backers())
			} else {
				own.addWord(kind)
			}
		}
	}
}

func toAll(ids []string) *Edges { return &Edges{ids, ids, ids, []string{}} }

// backers are the signer, and the maker of the admission that the entry uses up: ascending, each once.
func (one change) backers() []string {
	ids := []string{one.signedBy}
	if one.admission != nil {
		ids = append(ids, one.admission.Maker)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// vouch is an owner's for everything, a manager's for what nobody vouches for: where the edge leads nowhere, or the value is the member's own word. Edges by
// which everybody else is vouched for stay: those of the founder to themself, as long as that of the keys leads there.
func (edges *Edges) vouch(signer Member, id string) {
	isRoot := edges.isFounder(id)
	for _, kind := range kinds {
		ids := []string{signer.ID}
		if isRoot && edges.leadsTo(kind, id) {
			ids = *edges.of(kind)
		}
		isMissing := len(*edges.of(kind)) == 0 || slices.Contains(edges.OwnWord, kind)
		if signer.Role == "owner" || isMissing {
			edges.set(kind, ids)
		}
	}
}

// isFounder says whether this is the member of entry 1, an owner by nobody else's word, whose keys nobody else has set: nobody else's edges lead to themself.
func (edges *Edges) isFounder(id string) bool { return edges.leadsTo("keys", id) }

func (edges *Edges) leadsTo(kind, id string) bool { return slices.Equal(*edges.of(kind), []string{id}) }

// addWord notes a value of keys or name as the member's own word.
func (edges *Edges) addWord(kind string) {
	if kind != "role" && !slices.Contains(edges.OwnWord, kind) {
		edges.OwnWord = slices.Sorted(slices.Values(append(slices.Clone(edges.OwnWord), kind)))
	}
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
// key; both empty: nobody's); the founder, as long as the edge of the keys leads to themself; and those each of whose edges leads somewhere, and to nobody
// else than these. Members who vouch for each other in a circle are not.
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
	isBacked := func(id string) bool {
		return !slices.ContainsFunc(kinds, func(kind string) bool {
			ids := *edges[id].of(kind)
			return len(ids) == 0 || slices.ContainsFunc(ids, func(backer string) bool { return !vouched[backer] })
		})
	}
	for count := -1; count != len(vouched); {
		count = len(vouched)
		for id := range list.Members {
			if isBacked(id) {
				vouched[id] = true
			}
		}
	}
	return vouched
}

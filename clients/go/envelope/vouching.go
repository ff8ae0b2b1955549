package envelope

import (
	"maps"
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

type carried struct {
	member Member
	edges  Edges
}

// Edges of the present members. Of a list whose earlier parts were received too, what those say counts.
func (list *List) Edges() map[string]*Edges {
	walk := edgeWalk{members: map[string]Member{}, edges: map[string]*Edges{}, founder: list.entries[0].change.id}
	for index, known := range list.entries {
		one := known.change
		switch {
		case one.kind == "begin" && index > 0:
			walk.begin()
		case one.kind != "begin":
			walk.cut(one)
		}
		before, isThere := walk.members[one.id]
		signer := walk.members[one.signedBy]
		apply(walk.members, one)
		walk.set(one, before, isThere, signer)
		isLast := index+1 == len(list.entries) || list.entries[index+1].change.kind != "carry"
		if (one.kind == "begin" || one.kind == "carry") && isLast {
			walk.cutMissing()
		}
	}
	return walk.edges
}

type edgeWalk struct {
	members map[string]Member
	edges   map[string]*Edges
	// before has the members of the part before, where it was received.
	before map[string]carried
	// founder is the member that the list begins with, as far back as it was received.
	founder string
}

func (walk *edgeWalk) begin() {
	walk.before = map[string]carried{}
	for id, member := range walk.members {
		walk.before[id] = carried{member, *walk.edges[id]}
	}
	clear(walk.edges)
}

// isCutBy says whether edges to the member of an entry lead nowhere after it: they are removed, owner or manager no longer, or get another signing key from
// somebody else.
func isCutBy(members map[string]Member, one change) bool {
	known, isThere := members[one.id]
	if !isThere || one.kind != "remove" && one.kind != "replace" {
		return false
	}
	if one.kind == "remove" {
		return true
	}
	hasLostRole := roles[known.Role].signs && !roles[one.member.Role].signs
	return hasLostRole || !isSameKey(known.SigningKey, one.member.SigningKey) && one.signedBy != one.id
}

// cutBetween gives the ids of members to whom edges lead no longer by an entry after from, up to to.
func (list *List) cutBetween(from, to int64) map[string]bool {
	members, before, cut := map[string]Member{}, map[string]Member{}, map[string]bool{}
	for index, known := range list.entries {
		one, number := known.change, list.Head.Number-int64(len(list.entries)-1-index)
		if number > to {
			break
		}
		if number > from && isCutBy(members, one) {
			cut[one.id] = true
		}
		if one.kind == "begin" {
			before = maps.Clone(members)
		}
		apply(members, one)
		isLast := index+1 == len(list.entries) || list.entries[index+1].change.kind != "carry"
		if number <= from || one.kind != "begin" && one.kind != "carry" || !isLast {
			continue
		}
		for id, had := range before {
			if member, isThere := members[id]; !isThere || !isSameBacker(had, member) {
				cut[id] = true
			}
		}
	}
	return cut
}

func isSameBacker(had, member Member) bool {
	return isSameKey(had.SigningKey, member.SigningKey) && (roles[member.Role].signs || !roles[had.Role].signs)
}

func (walk *edgeWalk) cut(one change) {
	if !isCutBy(walk.members, one) {
		return
	}
	for _, own := range walk.edges {
		for _, kind := range kinds {
			if slices.Contains(*own.of(kind), one.id) {
				*own.of(kind) = []string{}
			}
		}
	}
}

func isSameKey(one, other *string) bool { return one == nil && other == nil || isSame(one, other) }

// cutMissing takes the edges of the part before to anybody who was left out, or came into this one with another signing key or without their role.
func (walk *edgeWalk) cutMissing() {
	for id, own := range walk.edges {
		for _, kind := range kinds {
			isCut := func(backer string) bool { return backer != id && !walk.isStillThere(backer) }
			if slices.ContainsFunc(*own.of(kind), isCut) {
				*own.of(kind) = []string{}
			}
		}
	}
}

func (walk *edgeWalk) isStillThere(id string) bool {
	member, isThere := walk.members[id]
	had, wasThere := walk.before[id]
	if !isThere || !wasThere {
		return isThere
	}
	return isSameBacker(had.member, member)
}

func (walk *edgeWalk) set(one change, before Member, isThere bool, signer Member) {
	switch one.kind {
	case "remove":
		delete(walk.edges, one.id)
	case "vouch":
		for _, id := range one.vouched {
			walk.edges[id].vouch(signer, id, walk.founder)
		}
	case "begin":
		walk.edges[one.id] = walk.beginEdges(one)
	case "carry":
		walk.edges[one.id] = walk.carry(one)
	case "add":
		walk.edges[one.id] = toAll(one.backers())
	case "replace":
		own := walk.edges[one.id]
		for _, kind := range changedBetween(before, *one.member) {
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
// which everybody else is vouched for stay: those of the founder to themself, as long as keys and role both lead there.
func (edges *Edges) vouch(signer Member, id, founder string) {
	leadsToFounder := func(kind string) bool { return slices.Equal(*edges.of(kind), []string{founder}) }
	isRoot := id == founder && leadsToFounder("keys") && leadsToFounder("role")
	for _, kind := range kinds {
		ids := []string{signer.ID}
		if isRoot && leadsToFounder(kind) {
			ids = *edges.of(kind)
		}
		isMissing := len(*edges.of(kind)) == 0 || slices.Contains(edges.OwnWord, kind)
		if signer.Role == "owner" || isMissing {
			edges.set(kind, ids)
		}
	}
}

// beginEdges vouches for nobody: an owner who begins a part keeps the edges of the part before, where it was received, and values that they change by it are
// their own word. Those of an owner by a recovery key lead to that key.
func (walk *edgeWalk) beginEdges(one change) *Edges {
	if walk.before == nil {
		return toAll([]string{one.id})
	}
	had, wasThere := walk.before[one.id]
	if !wasThere || one.signedBy != one.id {
		return toAll([]string{one.signedBy})
	}
	own := had.edges
	for _, kind := range changedBetween(had.member, *one.member) {
		own.addWord(kind)
	}
	return &own
}

// addWord notes a value of keys or name as the member's own word.
func (edges *Edges) addWord(kind string) {
	if kind != "role" && !slices.Contains(edges.OwnWord, kind) {
		edges.OwnWord = slices.Sorted(slices.Values(append(slices.Clone(edges.OwnWord), kind)))
	}
}

// carry gives, where the part before was received, the edges that the member had there; one whose value is another than there leads to the signer, and so do all
// of somebody who was not there.
func (walk *edgeWalk) carry(one change) *Edges {
	if walk.before == nil {
		said := *one.edges
		return &said
	}
	had, wasThere := walk.before[one.id]
	if !wasThere {
		return toAll([]string{one.signedBy})
	}
	own := had.edges
	for _, kind := range changedBetween(had.member, *one.member) {
		own.set(kind, []string{one.signedBy})
	}
	return &own
}

func changedBetween(one, other Member) []string {
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

// Vouched are the ids of the members who are vouched for: the one with this recipient and signing key, which are those of who asks (a program has no signing key; both empty: nobody's); the one
// that the list begins with, as far back as it was received, as long as the edges of keys and role lead to themself; and those each of whose edges leads somewhere, and to nobody else than
// these. Members who vouch for each other in a circle are not.
func (list *List) Vouched(recipient, signingKey string) map[string]bool {
	var own *string
	if signingKey != "" {
		own = &signingKey
	}
	edges := list.Edges()
	leadsOnlyTo := func(id string, of []string, isRight func(string) bool) bool {
		return !slices.ContainsFunc(of, func(kind string) bool {
			ids := *edges[id].of(kind)
			return len(ids) == 0 || slices.ContainsFunc(ids, func(backer string) bool { return !isRight(backer) })
		})
	}
	vouched := map[string]bool{}
	founder := list.entries[0].change.id
	for id, member := range list.Members {
		isSelf := member.Recipient == recipient && isSameKey(member.SigningKey, own)
		isRoot := id == founder && leadsOnlyTo(id, kinds[:2], func(backer string) bool { return backer == id })
		if isSelf || isRoot {
			vouched[id] = true
		}
	}
	for count := -1; count != len(vouched); {
		count = len(vouched)
		for id := range list.Members {
			if leadsOnlyTo(id, kinds, func(backer string) bool { return vouched[backer] }) {
				vouched[id] = true
			}
		}
	}
	return vouched
}

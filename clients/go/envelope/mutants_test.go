package envelope

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// mutant is a mistake that a verifier, an opener or a reader could make.
type mutant struct{ name, file, from, to string }

// mutants are the mistakes of packages/envelope/src/testing/mutants.ts that this code could make, and those of its memory.
var mutants = []mutant{
	{"no bound of a list's bytes", "list.go", "len(text) > listBytesMax || ", ""},
	{"no bound of a line", "list.go", "len(lines[index]) > lineBytesMax", "false"},
	{"no bound of entries", "list.go", " || len(lines) > 2*entriesMax", ""},
	{"a shorter list is taken", "list.go", "\t\treturn OldList\n", "\t\treturn nil\n"},
	{"another list of the same length is taken", "list.go", "hashOf(lines[head.Number-1].line) != head.Hash", "false"},
	{"the list of another organization is taken", "list.go", "one.OrganizationID != list.OrganizationID", "false"},
	{"numbers are not counted", "list.go", "one.Number == list.Head.Number+1 && *one", "*one"},
	{"the hash of the entry before is not compared", "list.go", " && *one.Previous == list.Head.Hash", ""},
	{"a list begins with any entry", "list.go", " && one.change.kind == \"add\"", " && one.change.member != nil"},
	{"the first entry has any number", "list.go", "return one.Number == 1 && one.change", "return one.change"},
	{"the first entry is anybody's", "list.go", ", one.change.id == one.SignedBy\n", ", true\n"},
	{"numbers have no end", "list_entry.go", " && one.Number <= numberMax", ""},
	{"any entry may name none before it", "list_entry.go", "(one.Number == 1) == (one.Previous == nil) && ", ""},
	{"signatures of entries are not verified", "list.go", " || !isSigned(listFormat, one.line, one.signature, *signer.SigningKey)", ""},
	{"everybody may change everything", "list.go", "!list.allows(signer, one.change)", "false"},
	{"two members with one key are taken", "list_rules.go", "other.Recipient == next.member.Recipient || ", ""},
	{"a list without an owner is taken", "list_rules.go", "return owners > 0 && ", "return "},
	{"a manager makes owners", "list_rules.go", "rank < roles[\"manager\"].rank", "rank <= roles[\"owner\"].rank"},
	{"a recovery key makes managers", "list_rules.go", "after.Role == \"owner\" && (before == nil", "(before == nil"},
	{"a member may change their own role", "list_rules.go", "return after == nil || after.Role == signer.Role", "return true"},
	{"any number of members is taken", "list_rules.go", " && all <= membersMax", ""},
	{"any number of recovery keys is taken", "list_rules.go", " && recoveryKeys <= recoveryKeysMax", ""},
	{"everybody writes notes", "list_rules.go", "return signer.Role == \"owner\"\n", "return true\n"},
	{"places have no end", "list_rules.go", "list.nextPlace(signer) > placesMax", "false"},
	{"a manager has a place more", "list_rules.go", "list.nextPlace(signer) > placesMax", "list.nextPlace(signer) > placesMax+1"},
	{"a manager has a place less", "list_rules.go", "list.nextPlace(signer) > placesMax", "list.nextPlace(signer) >= placesMax"},
	{"what owners write has a place", "list_rules.go", "signer.Role == \"owner\" || signer.Role == \"recovery\" {\n\t\treturn 1", "signer.Role == \"recovery\" {\n\t\treturn 1"},
	{"what recovery keys write has a place", "list_rules.go", " || signer.Role == \"recovery\" {\n\t\treturn 1", " {\n\t\treturn 1"},
	{"what others write about themselves has no place", "list_rules.go", "signer.Role == \"owner\" || signer.Role == \"recovery\" {\n\t\treturn 1", "signer.Role != \"manager\" {\n\t\treturn 1"},
	{"places are counted from entry 1", "list_rules.go", "\t\treturn 1\n", "\t\treturn list.place\n"},
	{"an admission is used twice", "list_rules.go", "list.used[one.ID] || ", ""},
	{"admissions are forgotten", "list.go", "list.used[one.change.admission.ID] = true", "list.used[\"\"] = true"},
	{"recovery keys let people in", "list_rules.go", " || !roles[maker.Role].signs", ""},
	{"makers need no right", "list_rules.go", " && mayChange(maker, before, &after)", ""},
	{"makers let themselves in", "list_rules.go", " && maker.ID != after.ID", ""},
	{"programs use admissions up", "list_rules.go", "after.Role != \"program\" && ", ""},
	{"recovery keys use admissions up", "list_rules.go", " && after.Role != \"recovery\"", ""},
	{"people use admissions for themselves", "list_rules.go", "signer.ID != after.ID && ", ""},
	{"any id is an admission's", "list_entry.go", "admissionPattern.MatchString(one.ID)", "idPattern.MatchString(one.ID)"},
	{"notes have admissions", "list_entry.go", "isAlone := one.Admission == nil && ", "isAlone := "},
	{"removals have admissions", "list_entry.go", "ok := one.Admission == nil && ", "ok := "},
	{"whoever was vouched for may be another", "list_rules.go", " || list.changed[id] > next.shown", ""},
	{"one more entry may have changed them", "list_rules.go", "list.changed[id] > next.shown", "list.changed[id] > next.shown+1"},
	{"one entry less may have changed them", "list_rules.go", "list.changed[id] > next.shown", "list.changed[id] >= next.shown"},
	{"somebody vouches by what is written with it", "list_entry.go", "*one.Shown < one.Number", "*one.Shown <= one.Number"},
	{"a former founder keeps the edges of the founder", "vouching.go", "slices.ContainsFunc(edges.Keys, func(ids []string) bool { return slices.Equal", "slices.ContainsFunc(edges.Role, func(ids []string) bool { return slices.Equal"},
	{"who is vouched for by somebody else is the founder no longer", "vouching.go", "return slices.ContainsFunc(edges.Keys, ", "return len(edges.Keys) == 1 && slices.ContainsFunc(edges.Keys, "},
	{"those whom a removed member let in stay vouched for", "vouching.go", "\tcase change.after == nil:\n\t\treturn true", "\tcase change.after == nil:\n\t\treturn false"},
	{"own new keys cut nothing", "vouching.go", "case !isSameKey(change.before.SigningKey, change.after.SigningKey):", "case change.isByOthers() && !isSameKey(change.before.SigningKey, change.after.SigningKey):"},
	{"own new keys cut what leads from the founder to themself", "vouching.go", "isOwnKey := !change.isByOthers() &&", "isOwnKey := false &&"},
	{"the founder's own lesser role leaves them the founder", "vouching.go", " && change.after.Role == change.before.Role; isOwnKey", "; isOwnKey"},
	{"a lost role cuts nothing", "vouching.go", "\treturn change.after.Role != \"manager\"\n}", "\treturn false\n}"},
	{"any other role cuts", "vouching.go", "\treturn change.after.Role != \"manager\"\n}", "\treturn true\n}"},
	{"a better role cuts", "vouching.go", " || change.after.Role == \"owner\":\n", ":\n"},
	{"a manager vouches for whom they vouched as an owner", "vouching.go", "return max(one.entry, other.entry)", "return one.entry"},
	{"a manager vouches for whoever has become an owner", "vouching.go", "return max(one.entry, other.entry)", "return other.entry"},
	{"recovery keys back no owner", "vouching.go", " && other.role != \"recovery\"", ""},
	{"a manager's role of now counts for what an owner was then", "vouching.go", "\t\t\theld = held[:len(held)-1]", "\t\t\tgiven = given[:max(len(given)-1, 0)]"},
	{"who lets somebody in again vouches for what is another alone", "vouching.go", "one.admission != nil || signer", "signer"},
	{"who lets somebody in again takes the place of those before", "vouching.go", "own[kind].backings = append(own[kind].backings, backing{number, one.backers()})", "own[kind].backings = []backing{{number, one.backers()}}"},
	{"paper vouches for whoever it signs for", "vouching.go", " && before.Role != one.member.Role", ""},
	{"paper that makes an owner vouches for what is another alone", "vouching.go", " || signer.Role == \"recovery\" && before.Role != one.member.Role", ""},
	{"the role of now counts for what was cut before", "vouching.go", "\t\t\tgiven = given[:len(given)-1]", "\t\t\theld = held[:len(held)-1]\n\t\t\tcontinue"},
	{"makers of admissions are no backers", "vouching.go", "ids = append(ids, one.admission.Maker)", "_ = ids"},
	{"one of two who let in somebody together is enough", "vouching.go", "if slices.ContainsFunc(one.ids, func(backer string) bool { return !vouched[backer] }) {", "if false {"},
	{"who vouches takes the place of those before", "vouching.go", "= append(walk.edges[id][kind].backings, backing{number, []string{one.signedBy}})", "= []backing{{number, []string{one.signedBy}}}"},
	{"another role vouches for the keys", "vouching.go", "isLookedAt := one", "isLookedAt := one.signedBy != one.id || one"},
	{"a circle vouches for itself", "vouching.go", "edges, vouched := list.Edges(), map[string]bool{}\n", "edges, vouched := list.Edges(), map[string]bool{}\n\tfor id := range edges {\n\t\tvouched[id] = len(edges[id].Keys) > 0\n\t}\n"},
	{"own words stay after somebody else's", "vouching.go", "own[kind] = &edge{backings: []backing{{number, one.backers()}}}", "own[kind] = &edge{[]backing{{number, one.backers()}}, 1 << 40}"},
	{"own words stay after somebody has vouched", "vouching.go", "isOwn = isOwn && one.entry < own[kind].ownSince", "_ = one.entry"},
	{"everybody vouches", "list_rules.go", "return signer.Role == \"owner\" || signer.Role == \"manager\" && mayChange(signer, &member, &member)", "return signer.Role == \"owner\" || mayChange(signer, &member, &member) || true"},
	{"managers vouch for everybody", "list_rules.go", " && mayChange(signer, &member, &member)", " && member.ID != \"\""},
	{"people vouch for themselves", "list_rules.go", "!isThere || id == signer.ID", "!isThere"},
	{"ids are in any order", "list_entry.go", "index > 0 && ids[index-1] >= id", "index > 0 && ids[index-1] == id+id"},
	{"the founder is vouched for by anybody's keys", "vouching.go", "isSelf || edges[id].isFounder(id)", "isSelf || id == list.entries[0].change.id"},
	{"a new name makes the founder nobody", "vouching.go", "isSelf || edges[id].isFounder(id)", "isSelf || edges[id].isFounder(id) && (&Edges{Keys: edges[id].Name}).isFounder(id)"},
	{"nobody vouches for themself on their own device", "vouching.go", "isSelf || edges[id].isFounder(id)", "edges[id].isFounder(id) || false && isSelf"},
	{"no signer is asked for at the first sight", "list.go", "trust.Head == nil && !isVouched", "false"},
	{"no bound of the lines of names", "names.go", " || len(lines) > nameLinesMax+1", ""},
	{"names of another organization are taken", "names.go", " || !bytes.Equal(lines[0], first)", " || false && !bytes.Equal(lines[0], first)"},
	{"lines of names in another order are taken", "names.go", " || one.Commitment <= before", " || one.Commitment == before+`?`"},
	{"names are not computed", "names.go", "hashOf([]byte(text)) != commitment", "text == commitment"},
	{"names stand as texts", "list_entry.go", "isHash(member.Commitment) && ", ""},
	{"an organization's name stands as a text", "list_entry.go", " && isHash(*one.Name)", ""},
	{"managers name the organization", "list_rules.go", "case \"note\", \"name\":\n\t\treturn signer.Role == \"owner\"", "case \"name\":\n\t\treturn true\n\tcase \"note\":\n\t\treturn signer.Role == \"owner\""},
	{"the organization keeps its first name", "list.go", "one.change.kind == \"name\" {", "one.change.kind == \"name\" && list.OrganizationName == \"\" {"},
	{"names of any form are taken", "names.go", " && namePattern.MatchString(line.Name)", ""},
	{"usable keys are not asked for", "list_entry.go", " && isX25519Key(key[len(key)-32:])", ""},
	{"no bound of an envelope", "envelope.go", "len(file) > fileBytesMax || ", ""},
	{"only the first stanza is looked at", "envelope.go", "if !isStanza(lines[index], lines[index+1]) {", "if index == 1 && !isStanza(lines[index], lines[index+1]) {"},
	{"shares of any length are taken", "envelope.go", " && len(share) == shareBytes", ""},
	{"shares with any key are taken", "envelope.go", "isWhole && endsWithX25519Key(share)", "isWhole"},
	{"the form of an envelope is not compared", "envelope.go", "content.FormID != expected.FormID || ", ""},
	{"the lowest version is not compared", "envelope.go", " || content.FirstVersion != expected.FirstVersion", ""},
	{"the signature of an envelope is not verified", "envelope.go", " || !isSigned(envelopeFormat, line, signature, *writer.SigningKey)", ""},
	{"everybody writes envelopes", "envelope.go", "!roles[writer.Role].signs {\n\t\treturn NotAllowed", "false {\n\t\treturn NotAllowed"},
	{"more stanzas than readers are taken", "envelope.go", "stanzas != len(content.Readers) || ", ""},
	{"an envelope without the recovery key is taken", "envelope.go", "return recoveryKeys == 0 && ", "return "},
	{"an older revision is taken", "envelope.go", "case steps < 0:\n\t\treturn OldRevision\n", ""},
	{"another revision of the same number is taken", "envelope.go", "steps == 0 && head.Hash != newest.Hash", "false"},
	{"a next revision that follows another one is taken", "envelope.go", "content.Previous != nil && *content.Previous == newest.Hash", "true"},
	{"an older list in an envelope is taken", "envelope.go", "content.List.Number < head.List.Number", "false"},
	{"lists are compared with the same envelope alone", "envelope.go", "head.FirstVersion < content.FirstVersion && !head.IsOpenedNow", "false"},
	{"an envelope that was seen is compared with those before it", "envelope.go", "		return isOlder(*expected.Newest)\n", "		if isOlder(*expected.Newest) {\n			return true\n		}\n"},
	{"lists are compared with later envelopes", "envelope.go", "head.FirstVersion < content.FirstVersion && ", ""},
	{"lists are compared with what was opened now", "envelope.go", " && !head.IsOpenedNow", ""},
	{"any organization is taken", "envelope.go", "case before != nil && before.OrganizationID != content.OrganizationID:", "case false:"},
	{"other envelopes of the form are not looked at", "envelope.go", "\treturn findLast(expected.Others, versionMax)", "\treturn nil"},
	{"managers begin envelopes of forms that they do not read", "envelope.go", "case expected.isBegun() && !isByOwner && (!isRead || expected.IsAboveRefused):", "case false:"},
	{"who was put aside lacks keys", "reader.go", "isForgotten: known.IsForgotten}", "isForgotten: false}"},
	{"a first sight by a former writer is remembered", "reader.go", "|| seen.IsByFormer && opened.isFirst", ""},
	{"every first sight is a former writer's", "reader.go", "|| seen.IsByFormer && opened.isFirst", "|| opened.isFirst"},
	{"a first sight by a former writer opens nothing", "reader.go", "err == FormerWriter && !opened.isFirst", "err == FormerWriter"},
	{"what is refused below is forgotten", "reader.go", "refused.FirstVersion < firstVersion", "false"},
	{"an envelope that was begun lacks any key", "envelope.go", "expected.Newest == nil && !expected.IsForgotten", "expected.Newest == nil && !expected.isBegun() && !expected.IsForgotten"},
	{"any envelope of a form is seen for the first time", "envelope.go", "expected.Newest == nil && expected.IsAboveRefused // of", "false // of"},
	{"the lowest one of a form that was not seen is begun", "envelope.go", "expected.Newest == nil && expected.IsAboveRefused // of", "expected.Newest == nil && expected.FirstVersion > 1 // of"},
	{"there has to be a key", "envelope.go", "content.Keys != nil && ", "len(content.Keys) > 0 && "},
	{"what is known stays after revisions that are not", "envelope.go", "expected.Revision <= expected.Newest.Revision+1", "expected.Revision > 0"},
	{"what is known stays at a later revision of another envelope", "envelope.go", "return expected.Revision == 1 && ", "return "},
	{"what is known stays in an earlier envelope", "envelope.go", " && expected.isBegun() && !expected.IsAboveRefused", " && !expected.IsAboveRefused"},
	{"what is known stays above what is refused", "envelope.go", "expected.isBegun() && !expected.IsAboveRefused", "expected.isBegun()"},
	{"a revision takes what is known away", "envelope.go", "(isAdjoining || isSame(kept, reader.By))", "isSame(kept, reader.By) && isAdjoining == isAdjoining"},
	{"only the signer is proven", "envelope.go", "(isAdjoining || isSame(kept, reader.By))", "isAdjoining"},
	{"readers who were let in again are who they were", "envelope.go", " && !outdated[reader.ID]", " && (true || outdated[reader.ID])"},
	{"a manager speaks for others at the first sight", "envelope.go", "before == nil && isByOwner)", "before == nil)"},
	{"an owner speaks for nobody else at the first sight", "envelope.go", " || before == nil && isByOwner)", ")"},
	{"a manager does not speak at the first sight", "envelope.go", "map[string]bool{}, true, false", "map[string]bool{}, isByOwner, false"},
	{"a former key says who put readers there", "envelope.go", "isHeard = isHeard && !isFormer\n", "isHeard = isHeard || isFormer && false\n"},
	{"nobody confirms a reader", "envelope.go", "isHeard && *reader.By == content.SignedBy || ", "isHeard && false || "},
	{"what is above a refused one opens nothing", "reader.go", "(expected.IsAboveRefused || isBeyond)", "isBeyond"},
	{"owners begin nothing above what is refused", "envelope.go", "case expected.isBegun() && !isByOwner && (!isRead || expected.IsAboveRefused):", "case expected.isBegun() && (!isByOwner && !isRead || expected.IsAboveRefused):"},
	{"what is refused below is not looked at", "envelope.go", " || expected.IsAboveRefused", ""},
	{"readers of the first envelope begin another one", "envelope.go", "\treturn findLast(expected.Others, versionMax)", "\tif len(expected.Others) == 0 {\n\t\treturn nil\n\t}\n\treturn &expected.Others[0].EnvelopeHead"},
	{"another envelope has any key log", "envelope.go", "lower = findLast(expected.Others, content.FirstVersion-1)", ""},
	{"a key that was seen may be missing", "envelope.go", "(key.IsPublished || !head", "(!key.IsPublished && !head"},
	{"any number is taken", "envelope.go", "content.Revision != expected.Revision", "false"},
	{"an older key log is taken", "envelope.go", "case !content.hasLaterLog(lower) && !isByOwner:", "case !content.hasLaterLog(lower) && false:"},
	{"any key log is taken", "envelope.go", "!slices.Contains(expected.KeyLog, *content.KeyLog)", "false"},
	{"managers write what they do not read", "envelope.go", "case steps > 0 && !mayFollow:", "case false:"},
	{"managers write later revisions of what they do not read", "envelope.go", "case steps > 0 && !mayFollow", "case steps == 1 && !mayFollow"},
	{"owners who have left write as before", "envelope.go", " && !content.isSignerChanged(list, memberChange.endsOwning)", ""},
	{"managers write as the owners that they were", "envelope.go", "return change.endsWriting() || change.after.Role != \"owner\"", "return change.endsWriting()"},
	{"owners who have left write as before, unless they are managers", "envelope.go", "return change.endsWriting() || change.after.Role != \"owner\"", "return change.after != nil && change.after.Role != \"owner\""},
	{"owners who have left write revisions that are left to owners", "envelope.go", "content.Revision > managersRevisionMax && !isByOwner", "content.Revision > managersRevisionMax && writer.Role != \"owner\""},
	{"a refused revision ends what was missed", "reader.go", "err != errOvertaken && !isRefusal(err) {\n\t\t\t\treturn", "err != errOvertaken {\n\t\t\t\treturn"},
	{"revisions between are not opened", "reader.go", "next = min(newest, max(before.Revision+1, newest-missedMax))", "next = newest"},
	{"revisions between need not be known", "reader.go", "newest != nil && seen.Head.Revision > newest.Revision+1 && !seen.IsByOwner", "false && newest != nil"},
	{"owners do not continue after a gap", "reader.go", "seen.Head.Revision > newest.Revision+1 && !seen.IsByOwner", "seen.Head.Revision > newest.Revision+1"},
	{"what comes after a gap opens nothing", "reader.go", "return opened, OtherPrevious", "return nil, OtherPrevious"},
	{"after a hidden key log there is a gap", "reader.go", "return &passed, nil", "return nil, nil"},
	{"a hidden key log keeps the readers of before", "reader.go", "range missed.Head.Readers {", "range before.Readers {"},
	{"who is let in by what is passed over is proven", "reader.go", "next := SeenReader{ID: reader.ID, IsDoubtful: true}", "next := reader"},
	{"managers who are let in again write what they have read before", "envelope.go", "return !takenOut[content.SignedBy]", "return takenOut != nil"},
	{"a manager who was out once writes never again", "envelope.go", "takenOut := list.changedBetween(before.List.Number, ", "takenOut := list.changedBetween(0, "},
	{"a manager who is out later did not write before", "envelope.go", "takenOut := list.changedBetween(before.List.Number, content.List.Number, ", "takenOut := list.changedBetween(before.List.Number, numberMax, "},
	{"a manager with new keys of their own writes nothing", "envelope.go", "change.hasOtherRecipient() && change.isByOthers()", "change.hasOtherRecipient()"},
	{"who is let in again was never out", "envelope.go", "(change.after == nil || !roles[change.after.Role].reads)", "change.after != nil && !roles[change.after.Role].reads"},
	{"who reads again has always read", "envelope.go", "(change.after == nil || !roles[change.after.Role].reads)", "change.after == nil"},
	{"a key that is back was never away", "envelope.go", "left[reader.ID] || rekeyed[reader.ID]", "left[reader.ID] || false && rekeyed[reader.ID]"},
	{"a writer who is let in again was never out", "envelope.go", "return change.after == nil || !roles[change.after.Role].signs ||", "return change.after != nil && !roles[change.after.Role].signs || change.after != nil &&"},
	{"a signing key that is back was never away", "envelope.go", " || !isSameKey(change.after.SigningKey, change.before.SigningKey)\n", "\n"},
	{"who was out once is out for ever", "envelope.go", "list.changedBetween(content.List.Number, list.Head", "list.changedBetween(0, list.Head"},
	{"readers are there in somebody's name", "envelope.go", "(reader.By == nil || idPattern.MatchString(*reader.By))", "reader.By != nil && idPattern.MatchString(*reader.By)"},
	{"owners who do not read the form confirm nobody", "envelope.go", "isHeard = isByOwner || before", "isHeard = before"},
	{"who is to be confirmed by what happened later confirms themself", "envelope.go", "return cut[by] || ", "return by == \"\" && cut[by] || false && "},
	{"who is to be confirmed confirms themself", "envelope.go", " && !list.isUnconfirmed(*before, content.SignedBy)", ""},
	{"who was removed stays proven", "envelope.go", " && !cut[*reader.By]", " && (true || cut[*reader.By])"},
	{"who is removed later is not proven", "envelope.go", "changedBetween(from, to, memberChange.isLosingEdges)", "changedBetween(from, numberMax, memberChange.isLosingEdges)"},
	{"a revision may be as far as it likes", "envelope.go", " || content.Revision > expected.seenRevision()+revisionStepsMax", ""},
	{"a revision is one step less far at most", "envelope.go", "content.Revision > expected.seenRevision()+revisionStepsMax", "content.Revision >= expected.seenRevision()+revisionStepsMax"},
	{"managers write what others have to understand", "envelope.go", "content.hasCritical() && !isByOwner", "false"},
	{"managers have all revisions", "envelope.go", "content.Revision > managersRevisionMax && !isByOwner", "false"},
	{"any version is in any envelope", "envelope.go", "firstVersionOf(key.Version) == content.FirstVersion && ", ""},
	{"keys that were never published must stay", "envelope.go", "return len(published) == 0 || isReplaced || newest.isAheadOfTime(key, nil)", "return isReplaced"},
	{"the service's list alone makes a key of somebody's the form's", "envelope.go", "seen.IsAhead && before.Revision == head.Revision, seen.IsPublished", "false, seen.IsPublished"},
	{"nothing is ahead of its time", "envelope.go", "(wasAhead || len(published) > 0 && opened.isAheadOfTime(key, published))", "wasAhead"},
	{"a log that was given up counts", "reader.go", "newest.KeyLog, expected.Newest = nil, &newest", "expected.Newest = &newest"},
	{"envelopes are begun ahead of their time", "envelope.go", "	if isBeyond {\n\t\treturn NotAllowed", "	if false {\n\t\treturn NotAllowed"},
	{"envelopes are begun one version ahead", "envelope.go", "return firstVersion > newest\n", "return firstVersion > newest+1\n"},
	{"what was begun ahead of its time counts for others", "envelope.go", "return expected.isBeyond(other.FirstVersion) }", "return false }"},
	{"what was seen as published is ahead of its time", "envelope.go", "				newest = max(newest, key.Version)", "				_ = key"},
	{"where no key is listed every envelope is ahead of its time", "envelope.go", "	if len(expected.Published) == 0 {\n\t\treturn false", "	if expected.Published == nil {\n\t\treturn false"},
	{"what was begun ahead of its time is refused", "reader.go", "			if !isBeyond(firstVersion) {", "			if true {"},
	{"what was begun ahead of its time opens nothing", "reader.go", "(expected.IsAboveRefused || isBeyond) {", "expected.IsAboveRefused {"},
	{"keys that were never published may be gone", "envelope.go", "return len(published) == 0 || isReplaced || newest.isAheadOfTime(key, nil)", "return true || isReplaced || newest.isAheadOfTime(key, nil)"},
	{"keys above all that were published must stay once the service lists them", "envelope.go", "isReplaced || newest.isAheadOfTime(key, nil)", "isReplaced || newest.isAheadOfTime(key, published)"},
	{"who a former signer brings in is like any other", "envelope.go", "(isFormer || expected.IsPassed", "(expected.IsPassed"},
	{"who a doubtful signer brings in is like any other", "envelope.go", "(isFormer || expected.IsPassed || !isByOwner && seen[content.SignedBy].IsDoubtful)", "(isFormer || expected.IsPassed)"},
	{"who a doubtful owner brings in is doubtful", "envelope.go", "expected.IsPassed || !isByOwner && seen", "expected.IsPassed || seen"},
	{"who was changed before what is passed over is proven", "envelope.go", "isFormer || expected.IsPassed", "isFormer"},
	{"what follows one that is passed over is compared as any other", "reader.go", "expected.IsPassed = passed, true", "expected.IsPassed = passed, false"},
	{"who was there is doubtful by a former signer", "envelope.go", "(!wasThere || outdated[reader.ID]) && isSpreading", "isSpreading"},
	{"every new reader is doubtful", "envelope.go", "outdated[reader.ID]) && isSpreading", "outdated[reader.ID]) && before != nil"},
	{"who is doubtful is so in one revision alone", "envelope.go", "next.IsDoubtful = one.IsDoubtful || ", "next.IsDoubtful = "},
	{"keys that were never published must stay where nobody has asked", "envelope.go", "return len(published) == 0 || isReplaced", "return isReplaced"},
	{"any key takes the place of one that was never published", "envelope.go", "other.Version == key.Version && other.IsPublished })", "other.Version == key.Version })"},
	{"no key takes the place of one that was never published", "envelope.go", "other.Version == key.Version && other.IsPublished })", "false })"},
	{"a made-up hybrid key is remembered", "envelope.go", "if key.IsPublished && !isWhole {", "if false {"},
	{"every key counts as published", "envelope.go", "if isListed && listed.Fingerprint == key.Fingerprint {", "if isListed || expected.Published != nil {"},
	{"every key counts as published where nobody has asked", "envelope.go", "if isListed && listed", "if expected.Published == nil || isListed && listed"},
	{"a key of a published version counts as published", "envelope.go", "isListed && listed.Fingerprint == key.Fingerprint", "isListed"},
	{"a hybrid key of a published version counts as published", "envelope.go", "isWhole = key.HybridFingerprint != nil && *key.HybridFingerprint == listed.HybridFingerprint", "isWhole = true"},
	{"an RSA key without its hybrid one is not published", "envelope.go", "if isListed && listed.Fingerprint == key.Fingerprint {", "if isListed && listed.Fingerprint == key.Fingerprint && (key.HybridFingerprint != nil || listed.HybridFingerprint == \"\") {"},
	{"a made-up hybrid key hides the key next to it", "envelope.go", "if isListed && listed.Fingerprint == key.Fingerprint {", "if isListed && listed.Fingerprint == key.Fingerprint && (key.HybridFingerprint == nil || *key.HybridFingerprint == listed.HybridFingerprint) {"},
	{"a hybrid key counts as published next to a published key", "envelope.go", "isWhole = isWhole || isSame(seen.HybridFingerprint, key.HybridFingerprint)", "isWhole = true"},
	{"what was seen as published is forgotten", "envelope.go", "if seen.IsPublished && seen.isSameRSA(key)", "if false && seen.isSameRSA(key)"},
	{"a key that was never published becomes so by being seen", "envelope.go", "if seen.IsPublished && seen.isSameRSA(key)", "if seen.isSameRSA(key)"},
	{"what lacks a published key opens nothing", "reader.go", "return form.toOpened(lacking), reason", "return nil, reason"},
	{"a former writer's new keys are taken where a published one is missing", "reader.go", "err != nil || isOfFormer(lacking)", "err != nil"},
	{"seeds may be replaced", "envelope.go", " && other.SeedHash == key.SeedHash", ""},
	{"private keys are not looked at", "envelope.go", "!key.isRight()", "false && !key.isRight()"},
	{"private keys are not compared with their fingerprints", "private_keys.go", "!key.isNamedRight() || ", ""},
	{"the numbers of RSA keys are not looked at", "private_keys.go", "!key.PrivateKey.opens() || ", ""},
	{"the public halves of hybrid keys are not looked at", "private_keys.go", "!key.HybridPrivateKey.isWhole()", "false"},
	{"a key that was found right vouches for its fingerprint", "private_keys.go", "text, err := json.Marshal(key)", "text, err := json.Marshal(key.Fingerprint)"},
	{"a signature over another domain is taken", "line.go", "[]byte(format+\"\\n\"+string(line))", "line"},
	{"other spellings of a line are taken", "line.go", "encoder.Encode(value) == nil && bytes.Equal(bytes.TrimSuffix(written.Bytes(), []byte(\"\\n\")), line)", "encoder.Encode(value) == nil"},
	{"depth is not counted", "line.go", " || isTooDeep(line)", ""},
	{"the year 0 is taken", "line.go", "moment.Year() >= 1", "moment.Year() >= 0"},
	{"any key is usable", "line.go", "isEd25519Point(key) && ", ""},
	{"any first half of a signature is usable", "line.go", "isEd25519Point(signature[:32]) && ", ""},
	{"any number of bytes of extensions is taken", "extensions.go", "len(extended.Extensions)+len(extended.Critical) > bytesMax", "false"},
	{"what is critical is ignored", "list.go", "if one.hasCritical() {", "if false {"},
	{"what is critical in envelopes is ignored", "envelope.go", "if content.hasCritical() {", "if false {"},
	{"managers may write what must be understood", "list.go", " || one.hasCritical() && signer.Role != \"owner\"", ""},
	{"a revision whose key log is not shown is continued", "reader.go", "if !isShown {", "if false && !isShown {"},
	{"any log is the one that a revision names", "reader.go", "err != nil || !log.contains(*named)", "err != nil"},
	{"the last entry of a log is any of that number", "key_log.go", "return head == log.Head", "return head.Number == log.Head.Number"},
	{"entries of a log that was given up are asked for", "reader.go", "isLeft && slices.Contains(givenUp, named.Hash)", "false"},
	{"what is seen without the list is the form's", "reader.go", "isAsked && !listsAny(form.published, firstVersion) ||", "false ||"},
	{"what was seen without the list stays", "heads.go", "return kept, len(kept.Unlisted) < before", "return kept, false && len(kept.Unlisted) < before"},
	{"an empty list is one", "heads.go", "	for version := range published {\n\t\tif firstVersionOf(version) == firstVersion {", "	if published != nil {\n\t\treturn true\n\t}\n	for version := range published {\n\t\tif firstVersionOf(version) == firstVersion {"},
	{"a first revision lacks what its log names", "reader.go", "isAsked && log != nil && seen.Content.lacksNamed(log)", "false && log != nil && seen.Content.lacksNamed(log)"},
	{"each revision has what its log names", "reader.go", "isAsked && log != nil && seen", "log != nil && seen"},
	{"what was put aside has what its log names", "reader.go", "opened.isFirst && !form.isForgotten && !seen.IsByOwner", "opened.isFirst && !seen.IsByOwner"},
	{"an owner's has what its log names", "reader.go", "opened.isFirst && !form.isForgotten && !seen.IsByOwner", "opened.isFirst && !form.isForgotten"},
	{"a first revision lacks what its writer has seen in the log", "envelope.go", "entry.Number <= content.KeyLog.Number || ", ""},
	{"a first revision names any older entry", "envelope.go", " || entry.Key.Version < newest", ""},
	{"a first revision has the keys of other envelopes", "envelope.go", "firstVersionOf(entry.Key.Version) == content.FirstVersion && ", ""},
	{"managers go back to a log that was given up", "reader.go", "isLeft && slices.Contains(givenUp, named.Hash)", "slices.Contains(givenUp, named.Hash)"},
	{"an envelope is begun with any log", "reader.go", "last = findLast(expected.Others, firstVersion-1)", "last = nil"},
	{"the pin of a key log is not compared", "key_log.go", "isPinned && hash != pin.Hash", "false"},
	{"the number of a pin is not compared", "key_log.go", "isPinned && entry.Number != pin.Number", "false"},
	{"the form of a key log is not compared", "key_log.go", "entry.FormID != formID", "false"},
	{"numbers of a key log are not counted", "key_log.go", "entry.Number != log.Head.Number+1 || ", ""},
	{"the hash of the key log's entry before is not compared", "key_log.go", " || !isFirst && *entry.Previous != log.Head.Hash", ""},
	{"anybody signs a key log", "key_log.go", "!isSigner || !isSigned", "!isSigner && isFirst || !isSigned"},
	{"signatures of a key log are not verified", "key_log.go", " || !isSigned(keyLogFormat, line, signature, entry.SignedBy)", ""},
	{"entry 1 of a key log has any place", "key_log.go", "isAllowed = entry.Place == 1", "isAllowed = true"},
	{"an owner's entry has any place", "key_log.go", "entry.Place == 1 && (entry.Key", "(entry.Key"},
	{"versions fall", "key_log.go", "steps >= 1 && steps <= keyLogStepMax", "steps != 0 && steps <= keyLogStepMax"},
	{"an owner skips any number of versions", "key_log.go", " && steps <= keyLogStepMax", ""},
	{"a manager names owners", "key_log.go", "slices.Equal(entry.Owners, before.Owners) && (leaves", "(leaves"},
	{"a manager names managers", "key_log.go", "(leaves || slices.Equal(entry.Managers, before.Managers))", "true"},
	{"a manager writes nothing", "key_log.go", "isNext = leaves", "isNext = true"},
	{"a manager skips versions", "key_log.go", "key.Version == former.Version+1", "key.Version > former.Version"},
	{"a manager drops the hybrid key", "key_log.go", "(key.HybridFingerprint != nil || former.HybridFingerprint == nil)", "true"},
	{"a manager drops the reply key", "key_log.go", "(key.ReplyKey != nil || former.ReplyKey == nil)", "true"},
	{"who leaves a key log's owners skips versions", "key_log.go", "!slices.Contains(entry.Owners, entry.SignedBy)", "false"},
	{"a manager's place is not counted", "key_log.go", "entry.Place == before.Place+1 && ", ""},
	{"places of a key log have no end", "key_log.go", "keyLogPlaceMax   = 1024", "keyLogPlaceMax   = 1 << 30"},
	{"a reply key may change", "key_log.go", " && isEqual(key.ReplyKey, other.ReplyKey)", ""},
	{"somebody is owner and manager", "key_log.go", " && !isBoth &&", " && (true || isBoth) &&"},
	{"signers are not counted", "key_log.go", "count <= keyLogSignersMax", "count > 0"},
	{"keys in any order are taken", "key_log.go", "keys[index-1] >= key", "keys[index-1] == key"},
	{"what is critical in a key log is ignored", "key_log.go", "if entry.hasCritical() {", "if false {"},
	{"managers write what must be understood into a key log", "key_log.go", " || !isOwners && entry.hasCritical()", ""},
	{"critical names need not be there", "extensions.go", "|| !names[name]", "|| names == nil"},
	{"critical names in any order are taken", "extensions.go", "name <= before || !names", "name == before && false || !names"},
	{"names of extensions in any order are taken", "extensions.go", "return rest, ok && isNext", "return rest, ok && (isNext || true)"},
	{"numbers above 2^53 - 1 are taken", "extensions.go", "len(number) < len(largestNumber) || string(number) <= largestNumber", "true"},
	{"other escapes are taken", "extensions.go", `\\u00(?:0[0-7be-f]|1[0-9a-f])`, `\\u[0-9A-Fa-f]{4}`},
	{"a hidden list counts as none", "reader.go", "case text == nil && head == nil:", "case text == nil:"},
	{"earlier pages are not fetched", "reader.go", "last > 0; last -=", "last > 1<<30; last -="},
	{"a page that is hidden is left out", "reader.go", "last-pageEntries+1 {\n\t\t\treturn nil, HiddenList", "last-pageEntries+1 {\n\t\t\tcontinue"},
	{"a page is any that begins with its entry", "reader.go", "bytes.Count(page, []byte(\"\\n\")) != 2*pageEntries || ", ""},
	{"any page is taken for another", "reader.go", " || firstNumberOf(page) != last-pageEntries+1", ""},
	{"pages have no end", "reader.go", "if first > entriesMax {", "if false {"},
	{"the head that was passed on is not looked for", "reader.go", "reader.passedOn != nil && !list.contains(*reader.passedOn)", "false"},
	{"an identity that is nobody's is taken", "reader.go", "\treturn nil, NotListed\n", "\treturn list, nil\n"},
	{"a hidden envelope counts as none", "reader.go", "len(shown) == 0 && len(known.Heads) == 0", "len(shown) == 0"},
	{"a form in another organization is taken", "reader.go", "err != nil || !isOwn {", "err != nil || false && !isOwn {"},
	{"the newest envelope is not remembered", "reader.go", ", Newest: before,", ","},
	{"a first sight lacks any key", "envelope.go", "!isByOwner && expected.isFirstSight() && expected.lacksPublished(content)", "false"},
	{"owners write no first sight that lacks a key", "envelope.go", "!isByOwner && expected.isFirstSight()", "expected.isFirstSight()"},
	{"a first sight lacks any hybrid key", "envelope.go", "key.Fingerprint == listed.Fingerprint && isHybrid", "key.Fingerprint == listed.Fingerprint && (true || isHybrid)"},
	{"what was put aside is seen for the first time by nobody", "envelope.go", " && !expected.IsForgotten", ""},
	{"heads say of no form whose it is", "reader.go", "if len(known.Heads) > 0 {\n\t\t// The", "if false {\n\t\t// The"},
	{"keys of other envelopes are missed at the first sight", "envelope.go", "firstVersionOf(version) == content.FirstVersion && ", ""},
	{"after a former writer there is a gap", "reader.go", "reason != UnknownKeyLog && reason != FormerWriter ||", "reason != UnknownKeyLog ||"},
	{"what comes after a gap is passed over", "reader.go", " || !missed.isNext {", " {"},
	{"what opens by what was seen alone is passed over", "reader.go", "Head.Revision == expected.Newest.Revision+1", "Head.Revision == expected.Newest.Revision+1 || passed != nil"},
	{"a former writer's keys open submissions", "reader.go", "if err == FormerWriter && !opened.isFirst {\n\t\t\treturn nil, err", "if err == FormerWriter && !opened.isFirst {\n\t\t\treturn opened, err"},
	{"a former writer's new keys are taken", "reader.go", "if isOfFormer(seen) ||", "if false ||"},
	{"anybody leaves a key log", "reader.go", "former == nil || seen.IsByOwner ||", "true || former == nil ||"},
	{"a key that was seen with another seed counts as seen", "reader.go", "other.SeedHash == key.SeedHash && isSameHybrid", "isSameHybrid"},
	{"keys that are published otherwise are used", "reader.go", "published == nil || published[key.Version].Fingerprint == key.Fingerprint", "true"},
	{"what was refused is asked for again at once", "form_keys.go", "wasMissing && now.Sub(missing.at) < pause", "false && wasMissing && now.Sub(missing.at) < pause"},
	{"what was refused is never asked for again", "form_keys.go", "now.Sub(missing.at) < pause", "true"},
	{"a damaged file of heads is an empty one", "head_file.go", "return empty, fmt.Errorf(\"%w: %s\", ErrHeadFile, file.path)", "return empty, nil"},
	{"heads are written without the lock", "head_file.go", "err := writeNew(lock, token)", "err := error(nil)"},
}

// testsOf has those tests that catch most mistakes in a file. The others run only where these find nothing.
var testsOf = map[string]string{
	"list.go":         "EachList|EachEntry|MoreBytes",
	"list_rules.go":   "EachList|EachEntry|Vouch",
	"list_entry.go":   "EachList|EachEntry|Vouch",
	"vouching.go":     "Vouch",
	"names.go":        "Names",
	"envelope.go":     "EachEnvelope|MoreBytes",
	"private_keys.go": "EachEnvelope|TheServicePublishes",
	"line.go":         "SignedLine|KeyLog|Signature",
	"extensions.go":   "SignedLine|KeyLog",
	"key_log.go":      "KeyLog",
	"reader.go":       "Reader|Service|Identity|NewKeys|Leave",
	"form_keys.go":    "RotatedForm",
	"head_file.go":    "Service|Programs",
	"heads.go":        "Service",
}

// TestEveryMistakeIsCaught builds the tests once for each mistake, and runs them: one has to fail. npm run test:clients sets the variable, since it
// takes minutes.
func TestEveryMistakeIsCaught(t *testing.T) {
	if os.Getenv("SEALPOST_TEST_MUTANTS") == "" {
		t.Skip("SEALPOST_TEST_MUTANTS is not set")
	}
	for _, mutant := range mutants {
		t.Run(mutant.name, func(t *testing.T) {
			t.Parallel()
			program := buildMutant(t, mutant)
			if passes(t, program, testsOf[mutant.file]) && passes(t, program, ".") {
				t.Error("no test fails")
			}
		})
	}
}

// buildMutant gives the path of the package's tests with the mistake in it.
func buildMutant(t *testing.T, mutant mutant) string {
	t.Helper()
	source, err := os.ReadFile(mutant.file)
	if err != nil || strings.Count(string(source), mutant.from) != 1 {
		t.Fatalf("%s does not have this once: %s", mutant.file, mutant.from)
	}
	folder := t.TempDir()
	changed, overlay := filepath.Join(folder, mutant.file), filepath.Join(folder, "overlay.json")
	path, err := filepath.Abs(mutant.file)
	if err != nil {
		t.Fatal(err)
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), mutant.from, mutant.to, 1)
	if os.WriteFile(changed, []byte(text), 0o600) != nil || os.WriteFile(overlay, replace, 0o600) != nil {
		t.Fatal("not written")
	}
	program := filepath.Join(folder, "mutant.test")
	command := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", program, ".")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("not built: %s", output)
	}
	return program
}

func passes(t *testing.T, program, tests string) bool {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, "-test.run", tests, "-test.failfast", "-test.timeout=60s")
	command.Env = append(os.Environ(), "SEALPOST_TEST_MUTANTS=")
	err := command.Run()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return err == nil
}

import { mutantsOf } from "../../../../tests/support/mutants.ts";

/** Mistakes that somebody could make about who may change what in a list; vectors/signed-lists.json. */
export const ruleMutants = mutantsOf("list-rules.ts", [
  [
    "who is added may sign that",
    "a member who signs the own admission",
    "return members.get(entry.signedBy);",
    'return members.get(entry.signedBy) ?? (entry.change === "add" ? entry.member : undefined);',
  ],
  [
    "replaced keys still sign",
    "an old key after it was replaced",
    "members.set(entry.member.id, toKnown(entry.member))",
    "members.set(entry.member.id, { ...toKnown(entry.member), signingKey: (members.get(entry.member.id) as any)?.signingKey ?? entry.member.signingKey })",
  ],
  ["who was removed stays", "a member who was removed", "members.delete(entry.member.id)", "members.size"],
  [
    "managers may write what must be understood",
    "a critical extension by a manager",
    'signer.role !== "owner") return false;',
    'signer.role === "reader") return false;',
  ],
  [
    "a founder may be anybody",
    "a founder who is no owner",
    "return owners > 0 && ",
    "return (owners > 0 || all === 1) && ",
  ],
  [
    "an addition may replace",
    "a member who is there is added",
    '!== (entry.change === "add")',
    '&& entry.change !== "add"',
  ],
  [
    "a replacement may add",
    "a member who is not there is replaced",
    'if ((known === undefined) !== (entry.change === "add")) return false;',
    'if (known && entry.change === "add") return false;',
  ],
  ["the last owner may leave", "the last owner leaves", "return owners > 0 && ", "return "],
  [
    "a changed member counts as an owner",
    "the last owner becomes a manager",
    "[0, 0, 0] : countOf(after)",
    "[0, 0, 0] : [1, 1, 0]",
  ],
  ["two may have one recipient", "two members with one recipient", "recipient !== after?.recipient && ", ""],
  [
    "two may have one signing key",
    "two members with one signing key",
    "signingKey !== after?.signingKey",
    "after !== null",
  ],
  ["any number of recovery keys is taken", "nine recovery keys", " && recoveryKeys <= recoveryKeysMax", ""],
  ["only seven recovery keys are taken", "eight recovery keys", "recoveryKeysMax = 8", "recoveryKeysMax = 7"],
  [
    "everybody writes notes",
    "a manager's note",
    'if (entry.change === "note" || entry.change === "name") return signer.role === "owner";',
    'if (entry.change === "note") return true;\n  if (entry.change === "name") return signer.role === "owner";',
  ],
  [
    "recovery keys write notes",
    "a recovery key's note",
    'entry.change === "name") return signer.role === "owner";',
    'entry.change === "name") return signer.role === "owner" || signer.role === "recovery";',
  ],
  [
    "everybody names the organization",
    "a name for the organization by a manager",
    'if (entry.change === "note" || entry.change === "name") return signer.role === "owner";',
    'if (entry.change === "note") return signer.role === "owner";\n  if (entry.change === "name") return true;',
  ],
  [
    "recovery keys name the organization",
    "a name for the organization by a recovery key",
    'if (entry.change === "note" || entry.change === "name") return signer.role === "owner";',
    'if (entry.change === "note") return signer.role === "owner";\n  if (entry.change === "name") return signer.role === "owner" || signer.role === "recovery";',
  ],
  [
    "everybody vouches",
    "a reader vouches",
    'return signer.role === "owner" || (signer.role === "manager" && mayChange(signer, member, member));',
    "return true;",
  ],
  ["managers vouch for everybody", "a manager vouches for an owner", " && mayChange(signer, member, member)", ""],
  [
    "owners vouch for themselves",
    "an owner vouches for themself",
    " || id === signer.id) return false",
    ") return false",
  ],
  [
    "vouching for the first one is enough",
    "an owner vouches for somebody who is not there",
    "entry.members.every(",
    "entry.members.some(",
  ],
  ["an admission is used twice", "an admission that was used before", "used.has(id) || ", ""],
  ["recovery keys let people in", "a recovery key's admission of an owner", " || !mayWrite(maker)", ""],
  [
    "makers need no right",
    "a manager's admission of an owner",
    "return isByOthers && mayChange(maker, members.get(after.id), after);",
    "return isByOthers;",
  ],
  ["programs use admissions up", "an admission for a program", 'after.role === "program" || ', ""],
  ["recovery keys use admissions up", "an admission for a recovery key", ' || after.role === "recovery"', ""],
  ["makers let themselves in", "an admission of the member whom it is about", " && makerId !== after.id", ""],
  [
    "people use admissions for themselves",
    "an owner's admission, used for the own keys",
    "signer.id !== after.id && ",
    "",
  ],
]);

const resets = 'role === "owner" || role === "recovery" ? 1 : place + 1';
const noted = "an owner notes, and a manager vouches twice, at place 1025";

/** Mistakes about the places of a list; vectors/list-places.json. */
export const placeMutants = mutantsOf("list-rules.ts", [
  [
    "places have no end",
    "a manager adds, at place 1025",
    "if (nextPlace(before.place, signer) > placesMax) return false;",
    "",
  ],
  ["the end comes one later", "a reader leaves, at place 1025", "placesMax = 1024", "placesMax = 1025"],
  ["the end comes one earlier", "a reader leaves, at place 1024", "placesMax = 1024", "placesMax = 1023"],
  ["places are counted on after an owner's entry", noted, resets, "place + 1"],
  ["recovery keys are counted as others", "a recovery key adds an owner, at place 1025", ' || role === "recovery"', ""],
  [
    "managers begin places again",
    "a manager adds, at place 1025",
    'return role === "owner" ||',
    'return role === "owner" || role === "manager" ||',
  ],
  ["place 1 is not counted", "a manager adds, at place 1025", "? 1 : place", "? 0 : place"],
]);

/** Mistakes about who is vouched for; vectors/list-vouching.json. */
export const vouchingMutants = mutantsOf("vouching.ts", [
  ["a removal cuts nothing", "vouching: a manager was removed", 'if (after === undefined) return "all";', ""],
  [
    "own new keys cut nothing",
    "vouching: a manager has replaced the own key",
    'function findCutting({ before, after }: MemberChange): "all" | "high" | undefined {',
    'function findCutting({ before, after, signedBy }: MemberChange): "all" | "high" | undefined {\n  if (signedBy === before.id && after !== undefined && after.role === before.role) return undefined;',
  ],
  [
    "own new keys cut what leads from the founder to themself",
    "vouching: the founder has replaced the own key",
    "change.signedBy === id && change.after !== undefined ?",
    "change.signedBy === '' ?",
  ],
  [
    "nobody cuts what leads from the founder to themself",
    "vouching: an owner vouches for the founder, who is a manager now",
    "if (cuts === undefined) return 0;",
    "if (cuts === undefined || memberId === backer) return 0;",
  ],
  [
    "another recipient cuts",
    "vouching: a manager has replaced the own recipient alone",
    "after.signingKey !== before.signingKey",
    "after.signingKey !== before.signingKey || after.recipient !== before.recipient",
  ],
  [
    "a lost role cuts nothing",
    "vouching: a manager became a developer",
    'return after.role === "manager" ? "high" : "all";',
    'return after.role === "manager" ? "high" : undefined;',
  ],
  [
    "any other role cuts everything",
    "vouching: an owner became a manager",
    'return after.role === "manager" ? "high" : "all";',
    'return "all";',
  ],
  [
    "a better role cuts",
    "vouching: a manager became an owner",
    ' || after.role === "owner") return undefined;',
    ") return undefined;",
  ],
  [
    "a manager vouches for whom they vouched as an owner",
    "vouching: an owner became a manager",
    'if (cutting === "high") pushTo(high, id, entry);',
    "",
  ],
  [
    "the role of now counts for what was cut before",
    "vouching: a reader of an owner who became a manager becomes a manager",
    "while ((given[at]?.entry ?? 0) >= cut) at -= 1;",
    "",
  ],
  [
    "the first role counts for what is cut later",
    "vouching: a manager whom an owner had vouched for became a reader before that owner became a manager",
    "if (former.role !== entry.member.role) noteRole(roles, entry.member, number);",
    "",
  ],
  [
    "another signing key cuts nothing",
    "vouching: a stolen key was replaced",
    'if (after.signingKey !== before.signingKey) return "all";',
    "",
  ],
  [
    "a cut stays for what is said after it",
    "vouching: a manager was removed and came back, and let in somebody",
    "(id === memberId ? byOthers : byAnybody) > entry",
    "(id === memberId ? byOthers : byAnybody) > 0",
  ],
  [
    "makers of admissions are no backers",
    "vouching: an accomplice by another's terms",
    "admission === null ? [] : [admission.maker]",
    "admission === null ? [] : []",
  ],
  [
    "signers are no backers where there is an admission",
    "vouching: an admission that somebody else completed",
    "[signedBy, ...(admission",
    "[...(admission !== null ? [] : [signedBy]), ...(admission",
  ],
  [
    "one of two who let in somebody together is enough",
    "vouching: an accomplice by another's terms",
    "return ids.some((id) => {",
    "return ids.every((id) => {",
  ],
  [
    "own words set edges",
    "vouching: own words, and then another role",
    "if (entry.signedBy === former.id) own",
    "if (entry.signedBy === '') own",
  ],
  [
    "own words stay after somebody else's",
    "vouching: own keys, and then keys by somebody else",
    "ids: backersOf(entry) }], ownSince: 0 };",
    "ids: backersOf(entry) }], ownSince: Number.MAX_SAFE_INTEGER };",
  ],
  [
    "own words stay after somebody has vouched",
    "vouching: an owner vouches for everything",
    "entry > own[kind].ownSince",
    "entry < 0",
  ],
  [
    "who has vouched for own words, and was cut, has taken them away",
    "vouching: own keys are the own word again after the one who vouched for them was removed",
    "!live(kind).some(({ entry })",
    "!own[kind].backings.some(({ entry })",
  ],
  [
    "who vouches takes the place of those before",
    "vouching: an owner who has vouched for everybody was removed",
    "edges.get(id)?.[kind].backings.push(backing);",
    "edges.get(id)?.[kind].backings.splice(0, Number.MAX_SAFE_INTEGER, backing);",
  ],
  [
    "vouching adds nothing to an edge that leads somewhere",
    "vouching: a manager was removed, and an owner had vouched before",
    "edges.get(id)?.[kind].backings.push(backing);",
    "if (edges.get(id)?.[kind].backings.length === 0) edges.get(id)?.[kind].backings.push(backing);",
  ],
  [
    "another role vouches for the keys",
    "vouching: who gives somebody another role vouches for neither key nor name",
    "for (const kind of changedBetween(former, entry.member)) {",
    "if (entry.signedBy !== former.id) for (const kind of kinds) own[kind].backings.push({ entry: number, ids: backersOf(entry) });\n      for (const kind of changedBetween(former, entry.member)) {",
  ],
  [
    "each set is named as often as it was said",
    "vouching: a manager vouches for somebody next to an owner, twice",
    'new Map(live(kind).map(({ ids }) => [ids.join(" "), ids]))',
    'new Map(live(kind).map(({ entry, ids }) => [ids.join(" ") + entry, ids]))',
  ],
  [
    "a former founder keeps the edges of the founder",
    "vouching: another owner has given the founder another recipient alone",
    "{ keys }: Edges): boolean {\n  return keys.some(",
    "{ role }: Edges): boolean {\n  return role.some(",
  ],
  [
    "who is vouched for by somebody else is the founder no longer",
    "vouching: another owner vouches for the founder",
    "return keys.some((ids)",
    "return keys.every((ids)",
  ],
  [
    "circles vouch",
    "vouching: two who vouch for each other after the founder has left",
    "const vouched = new Set(roots)",
    "const vouched = new Set([...members.keys()])",
  ],
  [
    "one edge is enough",
    "vouching: who gives somebody another role vouches for neither key nor name",
    "if (found.size === kinds.length)",
    "if (found.size > 0)",
  ],
  [
    "one of a set is enough",
    "vouching: two of whom nobody vouches for one let in somebody together",
    "if (!ids.every((to) => vouched.has(to))) continue;",
    "",
  ],
  [
    "own keys count for nothing",
    "vouching: somebody who was cut, on their own device",
    "isSelf(member) ||",
    "(isSelf(member) && false) ||",
  ],
  [
    "the founder is always vouched for",
    "vouching: another owner has replaced the founder's key",
    "const isRoot = isFounder(id, edges.get(id) ?? noEdges);",
    "const isRoot = id === entriesOf(list)[0]?.signedBy;",
  ],
  [
    "a new name makes the founder nobody",
    "vouching: another owner has changed the founder's name",
    "const isRoot = isFounder(id, edges.get(id) ?? noEdges);",
    "const isRoot = isFounder(id, edges.get(id) ?? noEdges) && isFounder(id, { ...noEdges, keys: edges.get(id)?.name ?? [] });",
  ],
]);

import { mutantsOf } from "../../../../tests/support/mutants.ts";

const quarter = "openPlaces = 3072";
const removals = "ownerPlaces = 4032";

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
    '!== (entry.change === "add" || entry.change === "carry")',
    '&& entry.change !== "add" && entry.change !== "carry"',
  ],
  [
    "a replacement may add",
    "a member who is not there is replaced",
    'if ((known === undefined) !== (entry.change === "add" || entry.change === "carry")) return false;',
    'if (known && (entry.change === "add" || entry.change === "carry")) return false;',
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
  ["makers let themselves in", "an admission of the member whom it is about", " && makerId !== after.id", ""],
  [
    "people use admissions for themselves",
    "an owner's admission, used for the own keys",
    "signer.id !== after.id && ",
    "",
  ],
]);

/** Mistakes about the places of a list; vectors/list-places.json. */
export const placeMutants = mutantsOf("list-rules.ts", [
  ["places are for everybody", "a manager adds, at place 3073", 'if (stage === "open") return true;', "return true;"],
  ["the last quarter begins later", "a reader leaves, at place 3073", quarter, "openPlaces = 3073"],
  ["the last quarter begins earlier", "a reader leaves, at place 3072", quarter, "openPlaces = 3071"],
  [
    "recovery keys have no place in the last quarter",
    "a recovery key adds an owner, at place 4032",
    ' || role === "recovery"',
    "",
  ],
  ["owners do everything at any place", "an owner adds, at place 4033", ' && change === "remove"', ""],
  ["the last 64 places begin later", "an owner notes, at place 4033", removals, "ownerPlaces = 4033"],
  ["the last 64 places begin earlier", "an owner notes, at place 4032", removals, "ownerPlaces = 4031"],
  [
    "managers remove at the last 64 places",
    "a manager removes, at place 4096",
    'stage === "removals" && role === "owner"',
    'stage === "removals"',
  ],
]);

const begun = '(change === "begin") !== isFirstOfPart';

/** Mistakes about the parts of a list; vectors/list-parts.json. */
export const partMutants = [
  ...mutantsOf("list.ts", [
    [
      "numbers begin where the list says",
      "parts: another number than the service says",
      "return number === first && change",
      "return change",
    ],
    [
      "parts begin with any entry",
      "parts: a part that another entry begins",
      'change === (number === 1 ? "add" : "begin")',
      "true",
    ],
    ["parts come as one", "parts: two parts that came as one", begun, "isFirstOfPart && change !== 'begin'"],
    ["one part comes as two", "parts: one part that came as two", begun, "!isFirstOfPart && change === 'begin'"],
    [
      "a list begins with a new part",
      "parts: a list that begins with a new part",
      '(number === 1 ? "add" : "begin")',
      '(number === 1 && change === "add" ? "add" : "begin")',
    ],
    [
      "numbers are counted within a part",
      "parts: the newest part alone, by its first entry",
      "lines[number - first]?.line",
      "lines[number - 1]?.line",
    ],
    [
      "heads of earlier parts are not missed",
      "parts: what was seen is of a part that was not received",
      "number >= first && number",
      "number",
    ],
    [
      "admissions are used once for ever",
      "parts: an admission that the part before has used",
      'if (entry.change === "begin") used.clear();',
      "",
    ],
    [
      "a part that a recovery key began is never taken alone",
      "parts: a part that a recovery key began, alone, by that key",
      "findSigner(before, entry, received.trustedKey)",
      "findSigner(before, entry)",
    ],
  ]),
  ...mutantsOf("list-rules.ts", [
    [
      "members stay in a new part",
      "parts: an owner begins a part",
      'if (entry.change === "begin") members.clear();',
      "",
    ],
    [
      "everybody begins parts",
      "parts: begun by a manager",
      'return isSame && (last === undefined || signer.role === "owner");',
      "return isSame;",
    ],
    [
      "owners begin parts for others",
      "parts: begun by an owner for another one",
      "signer.id === member.id && signer.signingKey",
      "signer.signingKey !== undefined || signer.signingKey",
    ],
    [
      "owners begin parts with another signing key",
      "parts: begun by an owner with another signing key",
      " && signer.signingKey === member.signingKey",
      "",
    ],
    [
      "parts have no owner",
      "parts: begun by an owner who becomes a manager",
      'if (member.role !== "owner") return false;',
      "",
    ],
    [
      "recovery keys begin parts for themselves",
      "parts: begun by a recovery key for itself",
      'if (signer.role === "recovery") return isNoRecoveryKey',
      'if (signer.role === "recovery" && signer.id === member.id) return true;\n  if (signer.role === "recovery") return isNoRecoveryKey',
    ],
    [
      "recovery keys begin parts for each other",
      "parts: begun by a recovery key for another one",
      "one.id !== id && ",
      "",
    ],
    [
      "recovery keys pass on their recipients",
      "parts: begun by a recovery key with the recipient of another one",
      "one.recipient !== recipient && ",
      "",
    ],
    [
      "recovery keys pass on each other's signing keys",
      "parts: begun by a recovery key with the signing key of another one",
      " && one.signingKey !== signingKey",
      "",
    ],
    [
      "recovery keys pass on their own signing keys",
      "parts: begun by a recovery key with its own signing key, alone",
      "signer.signingKey !== signingKey && ",
      "",
    ],
    [
      "managers carry",
      "parts: carried by a manager",
      'signer.role === "owner" && (last === "begin"',
      '(last === "begin"',
    ],
    [
      "members are carried at any place",
      "parts: carried after somebody was added",
      '(last === "begin" || last === "carry")',
      "last !== undefined",
    ],
    ["only one member is carried", "parts: an owner begins a part", ' || last === "carry"', ""],
    [
      "who is there is carried again",
      "parts: carried twice",
      '=== "add" || entry.change === "carry"))',
      '=== "add" || (entry.change === "carry" && known === undefined)))',
    ],
  ]),
];

/** Mistakes about who is vouched for; vectors/list-vouching.json. */
export const vouchingMutants = mutantsOf("vouching.ts", [
  [
    "a removal cuts nothing",
    "vouching: a manager was removed",
    "if (own[kind].includes(id)) own[kind] = nowhere;",
    "own[kind].includes(id);",
  ],
  ["own new keys cut edges", "vouching: a manager has replaced the own key", " && entry.signedBy !== id;", ";"],
  [
    "a lost role cuts nothing",
    "vouching: a manager became a developer",
    "after !== undefined && mayWrite(known) && !mayWrite(after)",
    "false",
  ],
  [
    "any other role cuts",
    "vouching: an owner became a manager",
    "mayWrite(known) && !mayWrite(after)",
    "known.role !== after.role",
  ],
  [
    "another signing key cuts nothing",
    "vouching: a stolen key was replaced",
    "hasLostRole || hasOtherKey ?",
    "hasLostRole ?",
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
    "own words set edges",
    "vouching: own words, and then another role",
    "if (entry.signedBy === former.id) {",
    "if (entry.signedBy === '') {",
  ],
  [
    "own words stay after somebody else's",
    "vouching: own keys, and then keys by somebody else",
    "own.ownWord.filter((word) => word !== kind)",
    "own.ownWord",
  ],
  [
    "a manager's vouching takes every edge",
    "vouching: a manager's vouching takes no edge that leads somewhere",
    'role === "owner" || isMissing',
    "true",
  ],
  [
    "a manager vouches for no own word",
    "vouching: a manager vouches for own keys, and for somebody who lost theirs",
    " || own.ownWord.some((word) => word === kind)",
    "",
  ],
  [
    "owners vouch as managers do",
    "vouching: an owner vouches for everything",
    'role === "owner" || isMissing',
    "isMissing",
  ],
  [
    "edges to members who were left out stay",
    "vouching: a program of a manager who was left out",
    "backer === id || isThere(backer)",
    "backer !== ''",
  ],
  [
    "carried edges are those of the entry",
    "vouching: carried with other edges, with the part before",
    "const own = { ...had.edges };\n  for",
    "const own = { ...said };\n  for",
  ],
  [
    "carried keys are never others",
    "vouching: carried with another key",
    "set(own, kind, [signedBy]);\n  return own;",
    "kind;\n  return own;",
    "had.signingKey === member.signingKey && ",
    "",
  ],
  [
    "a lower role in a new part cuts nothing",
    "vouching: carried as something less",
    " && (mayWrite(member) || !mayWrite(had))",
    "",
  ],
  [
    "edges are looked at before all are carried",
    "vouching: carried with edges to somebody who is carried later, alone",
    'if (entries[index + 1]?.change !== "carry") ',
    "",
  ],
  [
    "anybody who begins a part is vouched for",
    "vouching: an owner for whom nobody vouches begins a part",
    "if (before === undefined) return toAll([member.id]);",
    "if (before !== null) return toAll([member.id]);",
    "begunBy ?? founderOf(entriesOf(list));",
    'begunBy ?? founderOf(entriesOf(list).slice(Math.max(0, entriesOf(list).findLastIndex(({ change }) => change === "begin"))));',
  ],
  [
    "owners by a recovery key are let in by nobody else",
    "vouching: a recovery key begins a part with another owner",
    "signedBy !== member.id) return toAll([signedBy]);",
    "signedBy !== member.id) return toAll([member.id]);",
    "begunBy ?? founderOf(entriesOf(list));",
    'begunBy ?? founderOf(entriesOf(list).slice(Math.max(0, entriesOf(list).findLastIndex(({ change }) => change === "begin"))));',
  ],
  [
    "the founder is nobody in a part that another one has begun",
    "vouching: an owner who was let in by the founder begins a part",
    "begunBy ?? founderOf(entriesOf(list));",
    'begunBy ?? founderOf(entriesOf(list).slice(Math.max(0, entriesOf(list).findLastIndex(({ change }) => change === "begin"))));',
  ],
  [
    "what an owner changes by beginning a part is nobody's word",
    "vouching: an owner begins a part with another name",
    ", ...changedBetween(had.member, member)]) };",
    "]) };",
  ],
  [
    "who is carried from nowhere has the edges of the entry",
    "vouching: carried by an owner for whom nobody vouches, and not in the part before",
    "if (had === undefined) return toAll([signedBy]);\n  const own",
    "if (had === undefined) return { ...said };\n  const own",
  ],
  [
    "a former founder keeps the edges of the founder",
    "vouching: an owner vouches for the founder, who is a manager now",
    'leadsToFounder("keys") && leadsToFounder("role")',
    'leadsToFounder("keys")',
  ],
  [
    "an owner takes the edges of the founder",
    "vouching: another owner vouches for the founder",
    "isRoot && leadsToFounder(kind) ? own[kind] : [signer]",
    "[signer]",
  ],
  [
    "edges to themselves stay, also of others than the list begins with",
    "vouching: another owner vouches for the founder, in a part that they have begun, alone",
    "id === founder ? id : undefined",
    "id",
  ],
  [
    "circles vouch",
    "vouching: two who vouch for each other after the founder has left",
    "const vouched = new Set(",
    "const vouched = new Set([...members.keys()]); new Set(",
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
    'id === founder && leadsOnlyTo(id, (backer) => backer === id, ["keys", "role"])',
    "id === founder",
  ],
  [
    "a new name makes the founder nobody",
    "vouching: another owner has changed the founder's name",
    ', ["keys", "role"])',
    ")",
  ],
]);

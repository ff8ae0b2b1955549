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
    "members.set(entry.member.id, entry.member)",
    "members.set(entry.member.id, { ...entry.member, signingKey: members.get(entry.member.id)?.signingKey ?? entry.member.signingKey })",
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
    'if (entry.change === "note") return signer.role === "owner";',
    'if (entry.change === "note") return true;',
  ],
  [
    "recovery keys write notes",
    "a recovery key's note",
    '"note") return signer.role === "owner";',
    '"note") return signer.role === "owner" || signer.role === "recovery";',
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

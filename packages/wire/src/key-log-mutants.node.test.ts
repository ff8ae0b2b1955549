import { join } from "node:path";
import { after, test } from "node:test";
import { assertCaught, checkOf, createMutantMaker } from "../../../tests/support/mutant-maker.ts";
import { mutantsOf } from "../../../tests/support/mutants.ts";
import keyLogs from "../vectors/key-logs.json" with { type: "json" };
import { verifyKeyLog } from "./key-log.ts";
import { expectedOfKeyLog, verifyKeyLogVector } from "./testing/key-log-conformance.ts";
import type { KeyLogVector } from "./testing/key-log-vectors.ts";

const vectors = keyLogs as unknown as readonly KeyLogVector[]; // our own generator's
const maker = createMutantMaker(import.meta.dirname);
after(maker.remove);

const named = (name: string) => `key log: ${name}`;
/** Mistakes that somebody could make who reads key logs. */
const ofReader = mutantsOf("key-log.ts", [
  [
    "the pin is not compared",
    named("the pinned entry is missing"),
    'if (isPinned) requireThat(lineHash === head.hash, "forked");',
    "",
  ],
  [
    "the pinned number is not compared",
    named("a head of another number"),
    'if (isPinned) requireThat(entry.number === head.number, "broken_chain");',
    "if (isPinned) {}",
  ],
  ["the form is not compared", named("another form"), 'requireThat(entry.formId === formId, "other_form");', ""],
  [
    "only the first entry's form is compared",
    named("an entry of another form"),
    "requireThat(entry.formId === formId,",
    "requireThat(entries.length > 0 || entry.formId === formId,",
  ],
  ["numbers are not looked at", named("a number too high"), "entry.number === (before?.number ?? 0) + 1 && ", ""],
  ["the hash before is not looked at", named("another hash of the entry before"), " && entry.previous === hash", ""],
  ["anybody signs", named("signed by nobody whom the entry before names"), "isSigner && (await", "(await"],
  [
    "the signature is not verified",
    named("another's signature"),
    "isSigner && (await verifySignedLine(keyLogFormat, line, signature, entry.signedBy, verify))",
    "isSigner",
  ],
  [
    "an entry names its own signers",
    named("signed by nobody whom the entry before names"),
    "const { owners, managers } = before ?? entry;\n      const isSigner",
    "const { owners, managers } = entry;\n      const isSigner",
  ],
  [
    "the first entry needs no signer of its own",
    named("a first entry by somebody whom it does not name"),
    "const isSigner = owners",
    "const isSigner = before === undefined || owners",
  ],
  ["managers sign nothing", named("the next version, by a manager"), " || managers.includes(entry.signedBy)", ""],
  [
    "the table is not looked at",
    named("a version that falls, by an owner"),
    'requireThat(mayFollow(entry, before), "not_allowed");',
    "",
  ],
  [
    "the table is looked at in the pinned entry",
    named("a place too high, by a manager, pinned"),
    'if (isPinned) requireThat(entry.number === head.number, "broken_chain");',
    'if (isPinned) requireThat(entry.number === head.number && mayFollow(entry, before), "broken_chain");',
  ],
  [
    "long lines are parsed",
    named("a line of a byte too many"),
    'requireThat(encodeText(line).length <= keyLogLineBytesMax, "malformed");\n    return [{ line,',
    'return [{ line: line.replace(/"x+":1,/, ""),',
  ],
  [
    "what is critical is ignored",
    named("a critical extension"),
    'requireThat(knowsCritical(entry), "unknown_extension");',
    "",
  ],
  [
    "nothing of the pinned entry is critical",
    named("a critical extension of the pinned entry"),
    "requireThat(knowsCritical(entry)",
    "requireThat(isPinned || knowsCritical(entry)",
  ],
  [
    "what is critical is looked at before the table",
    named("a critical extension and an earlier version"),
    'requireThat(mayFollow(entry, before), "not_allowed");',
    'requireThat(knowsCritical(entry), "unknown_extension");\n      requireThat(mayFollow(entry, before), "not_allowed");',
  ],
  [
    "what is critical is looked at first",
    named("a critical extension with another's signature"),
    'requireThat(entry !== undefined && signature !== undefined, "malformed");',
    'requireThat(entry !== undefined && signature !== undefined, "malformed");\n    requireThat(knowsCritical(entry), "unknown_extension");',
  ],
  ["a byte order mark is ignored", named("a byte order mark"), "ignoreBOM: true", "ignoreBOM: false"],
]);

/** And those who read what an entry says, and who may write it. */
const ofEntries = mutantsOf("key-log-entry.ts", [
  ["the format is not looked at", named("another format"), "value.format === keyLogFormat &&", ""],
  ["any id is taken", named("an id of something else"), 'isId("form", value.formId) &&', ""],
  [
    "numbers have no end",
    named("number 2,147,483,648"),
    "isCount(value.number, keyLogNumberMax)",
    "isCount(value.number, 2 ** 53)",
  ],
  ["places have no end", named("place 1,025"), "isCount(value.place, keyLogPlaceMax)", "isCount(value.place, 2 ** 53)"],
  ["a place fewer is taken", named("place 1,024"), "keyLogPlaceMax = 1024", "keyLogPlaceMax = 1023"],
  [
    "versions have no end",
    named("version 2,147,483,648"),
    "isCount(key.version, keyLogNumberMax)",
    "isCount(key.version, 2 ** 53)",
  ],
  ["times are not looked at", named("a day that no calendar has"), "isTime(value.writtenAt) &&", ""],
  [
    "a reply key may be anything",
    named("a reply key of 31 bytes"),
    "is32Bytes(key.replyKey)",
    "key.replyKey !== undefined",
  ],
  ["every version has a reply key", named("from its first entry"), "key.replyKey === null || ", ""],
  ["no owner is needed", named("no owner"), "owners.length > 0 &&", ""],
  ["managers are not counted", named("32 owners and a manager"), "owners.length + managers.length", "owners.length"],
  ["a signer fewer is taken", named("32 owners"), "keyLogSignersMax = 32", "keyLogSignersMax = 31"],
  [
    "somebody is both",
    named("an owner who is a manager too"),
    "!owners.some((owner) => managers.includes(owner)) &&",
    "",
  ],
  [
    "keys in any order are taken",
    named("owners in another order"),
    "value[index - 1] < key",
    "value[index - 1] !== key",
  ],
  ["a key counts twice", named("one of the managers twice"), "value[index - 1] < key", "value[index - 1] <= key"],
  [
    "a manager's extension is critical",
    named("a manager's critical extension"),
    "if (!isOwners && critical.length > 0) return false;",
    "",
  ],
  [
    "entry 1 has any place",
    named("entry 1 by an owner, in place 2"),
    "return place === 1;\n  const",
    "return true;\n  const",
  ],
  [
    "owners have any place",
    named("the place after that of the entry before, by an owner"),
    "return place === 1 && (isSameKey",
    "return (isSameKey",
  ],
  [
    "versions fall",
    named("a version that falls, by an owner"),
    "steps >= 1 && steps <= keyLogStepMax",
    "steps !== 0 && steps <= keyLogStepMax",
  ],
  [
    "owners skip one version more",
    named("a version 33 ahead, by an owner"),
    "keyLogStepMax = 32",
    "keyLogStepMax = 33",
  ],
  [
    "owners skip one version fewer",
    named("a version 32 ahead, by an owner"),
    "keyLogStepMax = 32",
    "keyLogStepMax = 31",
  ],
  [
    "another key of the same version may follow",
    named("the same version with another RSA key, by an owner"),
    "steps >= 1 && steps",
    "steps >= 0 && steps",
  ],
  [
    "the reply key of a version may change",
    named("the same version with another reply key, by an owner"),
    "const isSameKey = isSame(key, before.key);",
    "const isSameKey = isSame({ ...key, replyKey: null }, { ...before.key, replyKey: null });",
  ],
  [
    "the hybrid key of a version may go",
    named("the same version without its hybrid key, by an owner"),
    "const isSameKey = isSame(key, before.key);",
    "const isSameKey = isSame({ ...key, hybridFingerprint: null }, { ...before.key, hybridFingerprint: null });",
  ],
  ["managers have any place", named("a place too high, by a manager"), "place === before.place + 1 &&", ""],
  [
    "places do not begin again",
    named("an owner's entry after managers' has place 1, and a manager's after it place 2"),
    "return place === 1 && (isSameKey",
    "return place >= before.place && (isSameKey",
  ],
  ["managers name owners", named("another owner, by a manager"), "isSame(entry.owners, before.owners) &&", ""],
  [
    "managers name managers",
    named("another manager, by a manager"),
    "(leaves || isSame(entry.managers, before.managers)) &&",
    "",
  ],
  [
    "managers take others out",
    named("another manager less, by a manager"),
    "filter((manager) => manager !== signedBy)",
    "filter((manager) => entry.managers.includes(manager))",
  ],
  [
    "managers can't leave",
    named("a manager leaves, with the same key"),
    "(isSameKey ? leaves :",
    "(isSameKey ? false :",
  ],
  [
    "managers leave without a rotation alone",
    named("the signing manager less, by a manager"),
    "(leaves || isSame(entry.managers, before.managers))",
    "(isSameKey ? leaves : isSame(entry.managers, before.managers))",
  ],
  ["managers write nothing", named("nothing new, by a manager"), "(isSameKey ? leaves :", "(isSameKey ? true :"],
  ["managers skip versions", named("a version two ahead, by a manager"), "steps === 1 && keeps", "steps >= 1 && keeps"],
  [
    "who leaves the owners skips versions",
    named("a version 32 ahead, and owners without the signer, by an owner"),
    "entry.owners.includes(signedBy) ? steps",
    "isOwners ? steps",
  ],
  [
    "who leaves the owners drops the hybrid key",
    named("the next version without a hybrid key, and owners without the signer, by an owner"),
    ": isNextKey;",
    ": steps === 1;",
  ],
  [
    "who leaves the owners makes no version",
    named("the next version, and owners without the signer, by an owner"),
    ": isNextKey;",
    ": false;",
  ],
  [
    "only owners of the list before make versions",
    named("a version two ahead, by an owner"),
    "entry.owners.includes(signedBy) ? steps",
    "false ? steps",
  ],
  [
    "managers drop the hybrid key",
    named("the next version without a hybrid key, by a manager"),
    "(after.hybridFingerprint !== null || before.hybridFingerprint === null) &&",
    "",
  ],
  [
    "managers drop the reply key",
    named("the next version without a reply key, by a manager"),
    " &&\n    (after.replyKey !== null || before.replyKey === null)",
    "",
  ],
  [
    "managers need a hybrid key",
    named("a manager continues without a hybrid key and a reply key where there were none"),
    " || before.hybridFingerprint === null",
    "",
  ],
]);

const mutants = [
  ...ofReader,
  ...ofEntries,
  ...mutantsOf("signed-line.ts", [
    [
      "the label is not signed",
      named("from its first entry"),
      `return encodeText(\`\${label}\\n\${line}\`);`,
      "return encodeText(line);",
    ],
    [
      "other spellings are taken",
      named("white space"),
      "JSON.stringify(parsed) === line ? parsed : undefined",
      "parsed",
    ],
    ["the year 0 is taken", named("the year 0"), "(?!0000)", ""],
  ]),
];

test("each wrong reader of key logs gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({
    maker,
    mutants,
    check: checkOf(vectors, verifyKeyLogVector, expectedOfKeyLog),
    control: named("one entry"),
    vectors,
    ours: verifyKeyLog,
    load: async (mutant) => (await import(join(maker.make(mutant), "key-log.ts"))).verifyKeyLog,
  }));

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
const mutants = mutantsOf("key-log.ts", [
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
    "(before ?? entry).signers",
    "entry.signers",
  ],
  [
    "the first entry needs no signer of its own",
    named("a first entry by somebody whom it does not name"),
    "const isSigner = (before",
    "const isSigner = before === undefined || (before",
  ],
  [
    "any key may follow",
    named("an earlier version"),
    'requireThat(before === undefined || mayFollow(entry.key, before.key), "not_allowed");',
    "",
  ],
  [
    "another key of the same version may follow",
    named("another RSA key of the same version"),
    "after.version > before.version ||",
    "after.version >= before.version ||",
  ],
  [
    "the hybrid key of a version may go",
    named("the same version without its hybrid key"),
    "JSON.stringify(after) === JSON.stringify(before)",
    "after.fingerprint === before.fingerprint && after.version === before.version",
  ],
  ["the format is not looked at", named("another format"), "value.format === keyLogFormat &&", ""],
  ["any id is taken", named("an id of something else"), 'isId("form", value.formId) &&', ""],
  ["times are not looked at", named("a day that no calendar has"), "isTime(value.writtenAt) &&", ""],
  ["no signer is needed", named("no signers"), "signers.length > 0 &&", ""],
  ["any number of signers is taken", named("too many signers"), "signers.length <= keyLogSignersMax &&", ""],
  [
    "signers in any order are taken",
    named("signers in another order"),
    "signers[index - 1] < signer",
    "signers[index - 1] !== signer",
  ],
  ["a signer counts twice", named("a signer twice"), "signers[index - 1] < signer", "signers[index - 1] <= signer"],
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
    "what is critical is looked at first",
    named("a critical extension with another's signature"),
    'requireThat(entry !== undefined && signature !== undefined, "malformed");',
    'requireThat(entry !== undefined && signature !== undefined, "malformed");\n    requireThat(knowsCritical(entry), "unknown_extension");',
  ],
  ["a byte order mark is ignored", named("a byte order mark"), "ignoreBOM: true", "ignoreBOM: false"],
]).concat(
  mutantsOf("signed-line.ts", [
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
);

test("each wrong reader of key logs gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({
    mutants,
    check: checkOf(vectors, verifyKeyLogVector, expectedOfKeyLog),
    control: named("one entry"),
    vectors,
    ours: verifyKeyLog,
    load: async (mutant) => (await import(join(maker.make(mutant), "key-log.ts"))).verifyKeyLog,
  }));

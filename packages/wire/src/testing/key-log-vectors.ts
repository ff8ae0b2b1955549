import { encodeBase64Url } from "../base64.ts";
import type { KeyLogEntry, KeyLogHead, KeyLogRefusal } from "../key-log.ts";
import { keyLogFormat, keyLogLineBytesMax } from "../key-log.ts";
import { noExtensions, signedBytes } from "../signed-line.ts";
import { derive } from "./opening-vectors.ts";

/** A log, and what a reader makes of it that has pinned `head` (`null`: that knows nothing yet). */
export interface KeyLogVector {
  readonly name: string;
  readonly formId: string;
  readonly head: KeyLogHead | null;
  readonly log: string;
  readonly outcome: KeyLogRefusal | "verified";
  /** The newest entry's key, signers and head, of a log that verifies. */
  readonly newest?: Pick<KeyLogEntry, "key" | "signers"> & { readonly head: KeyLogHead };
}

const formId = "form_01hk153x00e5rbcwg8rxcnh8w0";
const otherForm = "form_01hk153x00e5rbcwg8rxcnh8w1";

/** PKCS #8 (RFC 8410 section 7) up to the seed. */
const pkcs8Prefix = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

interface Signer {
  readonly signingKey: CryptoKey;
  readonly publicKey: string;
}

const made = new Map<string, Promise<Signer>>();

function signer(name: string): Promise<Signer> {
  const known = made.get(name) ?? makeSigner(name);
  made.set(name, known);
  return known;
}

async function makeSigner(name: string): Promise<Signer> {
  const pkcs8 = new Uint8Array([...pkcs8Prefix, ...(await derive("key log", name, 32))]);
  const signingKey = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", signingKey);
  return { signingKey, publicKey: x };
}

const fingerprintOf = async (name: string) => encodeBase64Url(await derive("key log fingerprint", name, 32));

/** An entry to make, and deviations of careless and hostile writers. */
interface Step {
  /** The version, for which the fingerprints stand; with `rsa` it has no hybrid key. */
  readonly version: number;
  readonly rsa?: true;
  readonly by: string;
  readonly signers: readonly string[];
  readonly signWith?: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly key?: Readonly<Record<string, unknown>>;
  readonly spell?: (line: string) => string;
  readonly alter?: (lines: string) => string;
  readonly signedAs?: string;
}

interface Made {
  readonly text: string;
  readonly entries: readonly { readonly lines: string; readonly head: KeyLogHead }[];
}

async function make(steps: readonly Step[], startsWith?: KeyLogHead): Promise<Made> {
  const entries: { lines: string; head: KeyLogHead }[] = [];
  let before = startsWith;
  for (const step of steps) {
    const number = (before?.number ?? 0) + 1;
    const signers = await Promise.all(step.signers.map(async (name) => (await signer(name)).publicKey));
    const content = {
      format: keyLogFormat,
      formId,
      number,
      previous: before?.hash ?? null,
      writtenAt: `2026-11-23T08:00:${String(number % 60).padStart(2, "0")}Z`,
      signedBy: (await signer(step.by)).publicKey,
      key: {
        version: step.version,
        fingerprint: await fingerprintOf(`rsa ${step.version}`),
        hybridFingerprint: step.rsa ? null : await fingerprintOf(`hybrid ${step.version}`),
        ...step.key,
      },
      signers: signers.sort(),
      ...noExtensions,
      ...step.content,
    };
    const written = JSON.stringify(content);
    const line = step.spell?.(written) ?? written;
    const { signingKey } = await signer(step.signWith ?? step.by);
    const data = signedBytes(step.signedAs ?? keyLogFormat, line);
    const signature = encodeBase64Url(new Uint8Array(await crypto.subtle.sign("Ed25519", signingKey, data)));
    const lines = `${line}\n{"signature":"${signature}"}\n`;
    const hash = encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(line))));
    before = { number, hash };
    entries.push({ lines: step.alter?.(lines) ?? lines, head: before });
  }
  return { text: entries.map(({ lines }) => lines).join(""), entries };
}

/** A log of one entry whose line is spelled in another way, and signed so. */
export async function createOneEntryLog(
  spell: (line: string) => string,
): Promise<{ readonly formId: string; readonly log: string }> {
  const { text } = await make([{ version: 1, by: "founder", signers: ["founder"], spell }]);
  return { formId, log: text };
}

/** A form whose founder brings in a second signer, rotates, and leaves. */
const year: readonly Step[] = [
  { version: 1, by: "founder", signers: ["founder"] },
  { version: 1, by: "founder", signers: ["founder", "second"] },
  { version: 2, by: "second", signers: ["founder", "second"] },
  { version: 2, by: "second", signers: ["second"] },
  { version: 4, rsa: true, by: "second", signers: ["second", "third"] },
];

/** Vectors, each from one deviation. */
export async function keyLogVectors(): Promise<readonly KeyLogVector[]> {
  const log = await make(year);
  const headOf = (number: number) => log.entries[number - 1]?.head ?? null;
  const from = (number: number) =>
    log.entries
      .slice(number - 1)
      .map(({ lines }) => lines)
      .join("");
  const newest = await describe(year.at(-1), headOf(year.length));
  const vectors: KeyLogVector[] = [];
  const add = (name: string, vector: Partial<KeyLogVector> & Pick<KeyLogVector, "outcome">) =>
    void vectors.push({ name: `key log: ${name}`, formId, head: null, log: log.text, ...vector });
  const verified = { outcome: "verified", ...(newest && { newest }) } as const;
  const lineOf = (number: number) => log.entries[number - 1]?.lines ?? "";
  /** The year with one deviating entry in the place of the one with this number; nothing after it. */
  const deviating = async (number: number, step: Partial<Step>) =>
    (await make([...year.slice(0, number - 1), { ...(year[number - 1] as Step), ...step }])).text; // a number of the year

  add("from its first entry", verified);
  for (const number of [1, 3, 5])
    add(`from the pinned entry ${number}`, { ...verified, head: headOf(number), log: from(number) });
  add("one entry", {
    ...{ log: lineOf(1), head: headOf(1), outcome: "verified" },
    newest: await describe(year[0], headOf(1)),
  } as const);
  add("the pinned entry is not signed again", {
    ...{ head: headOf(2), log: lineOf(2).replace(/"signature":"..../, '"signature":"AAAA'), outcome: "verified" },
    newest: await describe(year[1], headOf(2)),
  } as const);
  add("empty", { log: "", outcome: "malformed" });
  add("the pinned entry is missing", { head: headOf(3), log: from(4), outcome: "forked" });
  add("it ends before the pinned entry", {
    head: headOf(5),
    log: from(1).slice(0, lineOf(1).length),
    outcome: "forked",
  });
  add("the whole log where the pinned entry on was asked for", { head: headOf(3), outcome: "forked" });
  const fork = await make([...year.slice(0, 3), { version: 3, by: "founder", signers: ["founder"] }]);
  add("a former signer continues it from before they left", {
    ...{
      head: headOf(4),
      log: fork.entries
        .slice(3)
        .map(({ lines }) => lines)
        .join(""),
      outcome: "forked",
    },
  } as const);
  add("what is not detected: the same, for a page that pins an entry from before", {
    ...{
      head: headOf(2),
      log: fork.entries
        .slice(1)
        .map(({ lines }) => lines)
        .join(""),
      outcome: "verified",
    },
    newest: await describe({ version: 3, by: "founder", signers: ["founder"] }, fork.entries.at(-1)?.head ?? null),
  } as const);
  add("a head of another number", {
    head: { ...(headOf(3) as KeyLogHead), number: 2 },
    log: from(3),
    outcome: "broken_chain",
  }); // the year has it
  add("another form", { formId: otherForm, outcome: "other_form" });
  add("an entry of another form", {
    log: await deviating(3, { content: { formId: otherForm } }),
    outcome: "other_form",
  });
  add("an entry is missing", { log: lineOf(1) + lineOf(3), outcome: "broken_chain" });
  add("an entry twice", { log: lineOf(1) + lineOf(1), outcome: "broken_chain" });
  add("another hash of the entry before", {
    log: await deviating(3, { content: { previous: headOf(1)?.hash } }),
    outcome: "broken_chain",
  });
  add("a number too high", { log: await deviating(3, { content: { number: 4 } }), outcome: "broken_chain" });
  add("it begins with a later entry, and nothing is pinned", { log: from(2), outcome: "broken_chain" });
  add("signed by nobody whom the entry before names", {
    log: await deviating(3, { by: "third", signers: ["second", "third"] }),
    outcome: "not_signed",
  });
  add("signed by a former signer", { log: await deviating(5, { by: "founder" }), outcome: "not_signed" });
  add("a first entry by somebody whom it does not name", {
    log: await deviating(1, { by: "stranger" }),
    outcome: "not_signed",
  });
  add("another's signature", { log: await deviating(3, { signWith: "third" }), outcome: "not_signed" });
  add("a first entry with another's signature", {
    log: await deviating(1, { signWith: "third" }),
    outcome: "not_signed",
  });
  add("a signature of another format", {
    log: await deviating(3, { signedAs: "sealpost-list/1" }),
    outcome: "not_signed",
  });
  add("a changed signature", {
    log: await deviating(3, { alter: (lines) => lines.replace(/"signature":"..../, '"signature":"AAAA') }),
    outcome: "not_signed",
  });
  add("an earlier version", { log: await deviating(4, { version: 1 }), outcome: "not_allowed" });
  add("another RSA key of the same version", {
    log: await deviating(4, { key: { fingerprint: await fingerprintOf("another") } }),
    outcome: "not_allowed",
  });
  add("the same version without its hybrid key", { log: await deviating(4, { rsa: true }), outcome: "not_allowed" });
  const malformed: Readonly<Record<string, Partial<Step>>> = {
    "another format": { content: { format: "sealpost-key-log/2" } },
    "an id of something else": { content: { formId: "sub_01hk153x00e5rbcwg8rxcnh8w0" } },
    "number 0": { content: { number: 0 } },
    "a number with a fraction": { content: { number: 3.5 } },
    "no hash before": { content: { previous: null } },
    "a short hash": { content: { previous: "AAAA" } },
    "a day that no calendar has": { content: { writtenAt: "2026-02-30T08:00:00Z" } },
    "the year 0": { content: { writtenAt: "0000-11-23T08:00:00Z" } },
    "a time with a fraction": { content: { writtenAt: "2026-11-23T08:00:00.5Z" } },
    "signed by a text": { content: { signedBy: "founder" } },
    "version 0": { key: { version: 0 } },
    "a fingerprint of 31 bytes": { key: { fingerprint: "A".repeat(42) } },
    "a fingerprint with bits that belong to no byte": { key: { fingerprint: `${"A".repeat(42)}B` } },
    "no hybrid fingerprint": { key: { hybridFingerprint: undefined } },
    "a hybrid fingerprint of a number": { key: { hybridFingerprint: 1 } },
    "a member of the key too many": { key: { modulus: "AAAA" } },
    "no key": { content: { key: null } },
    "no signers": { content: { signers: [] } },
    "signers of a text": { content: { signers: "second" } },
    "a signer that is no key": { content: { signers: ["second"] } },
    "too many signers": { content: { signers: await manySigners(33) } },
    "a member too many": { content: { comment: "" } },
    "a line of a byte too many": { spell: (line) => line.replace("{", `{"${"x".repeat(keyLogLineBytesMax)}":1,`) },
    "white space": { spell: (line) => line.replace(",", ", ") },
    "another order": { spell: (line) => line.replace(/("format":"[^"]*"),("formId":"[^"]*")/, "$2,$1") },
    "a member twice": { spell: (line) => line.replace("{", '{"format":"sealpost-key-log/1",') },
    "an escape that nobody needs": { spell: (line) => line.replace("sealpost", "\\u0073ealpost") },
    "no object": { spell: () => "1" },
    "no JSON": { spell: (line) => line.slice(1) },
    "no signature": { alter: (lines) => `${lines.split("\n")[0]}\n{}\n` },
    "a short signature": { alter: (lines) => lines.replace(/.{5}"\}\n$/, '"}\n') },
    "another spelling of a signature": { alter: (lines) => lines.replace('{"s', '{ "s') },
    "no line end": { alter: (lines) => lines.slice(0, -1) },
    "a line too many": { alter: (lines) => `${lines}\n` },
  };
  for (const [name, step] of Object.entries(malformed))
    add(name, { log: await deviating(3, step), outcome: "malformed" });
  const newer = { content: { extensions: { "org.example.note": 1 }, critical: ["org.example.note"] } };
  add("an extension", {
    log: await deviating(3, { content: { extensions: { "org.example.note": 1 } } }),
    outcome: "verified",
    newest: await describe(year[2], null),
  });
  add("a critical extension", { log: await deviating(3, newer), outcome: "unknown_extension" });
  const pinned = await make([...year.slice(0, 2), { ...(year[2] as Step), ...newer }]); // the year has it
  add("a critical extension of the pinned entry", {
    ...{ head: pinned.entries[2]?.head ?? null, log: pinned.entries[2]?.lines ?? "", outcome: "unknown_extension" },
  } as const);
  add("a critical extension with another's signature", {
    log: await deviating(3, { ...newer, signWith: "third" }),
    outcome: "not_signed",
  });
  add("a critical extension and an earlier version", {
    log: await deviating(4, { ...newer, version: 1 }),
    outcome: "not_allowed",
  });
  const withMark = await deviating(1, { alter: (lines) => `\ufeff${lines}` });
  add("a byte order mark", { log: withMark, outcome: "malformed" });
  const [one = "", other = ""] = await manySigners(2);
  for (const [name, signers] of [
    ["signers in another order", [other, one]],
    ["a signer twice", [one, one]],
  ] as const)
    add(name, { log: await deviating(3, { content: { signers } }), outcome: "malformed" });
  add("32 signers", {
    log: await deviating(1, { signers: (await manyNames(31)).concat("founder") }),
    outcome: "verified",
    newest: await describe({ ...(year[0] as Step), signers: (await manyNames(31)).concat("founder") }, null),
  });
  return Promise.all(vectors.map(withHead));
}

/** The head of what verifies, where its maker did not give it. */
async function withHead(vector: KeyLogVector): Promise<KeyLogVector> {
  if (vector.newest === undefined || vector.newest.head.hash !== "") return vector;
  const line = vector.log.split("\n").at(-3) ?? "";
  const hash = encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(line))));
  return { ...vector, newest: { ...vector.newest, head: { number: JSON.parse(line).number, hash } } };
}

async function describe(step: Step | undefined, head: KeyLogHead | null): Promise<NonNullable<KeyLogVector["newest"]>> {
  const { version, rsa, signers } = step as Step; // callers name steps of their own
  return {
    head: head ?? { number: 0, hash: "" },
    key: {
      version,
      fingerprint: await fingerprintOf(`rsa ${version}`),
      hybridFingerprint: rsa ? null : await fingerprintOf(`hybrid ${version}`),
    },
    signers: (await Promise.all(signers.map(async (name) => (await signer(name)).publicKey))).sort(),
  };
}

async function manyNames(count: number): Promise<string[]> {
  return Array.from({ length: count }, (_, index) => `signer ${index}`);
}

async function manySigners(count: number): Promise<readonly string[]> {
  const keys = await Promise.all((await manyNames(count)).map(async (name) => (await signer(name)).publicKey));
  return keys.sort();
}

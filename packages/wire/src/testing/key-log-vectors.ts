import { encodeBase64Url } from "../base64.ts";
import type { KeyLogHead, KeyLogRefusal } from "../key-log.ts";
import { keyLogLineBytesMax, keyLogNumberMax } from "../key-log-entry.ts";
import { describe, formId, make, manyNames, manySigners, type NewestEntry, type Step } from "./key-log-maker.ts";
import { tableCases } from "./key-log-table.ts";

/** A log, and what a reader makes of it that has pinned `head` (`null`: that knows nothing yet). */
export interface KeyLogVector {
  readonly name: string;
  readonly formId: string;
  readonly head: KeyLogHead | null;
  readonly log: string;
  readonly outcome: KeyLogRefusal | "verified";
  /** The newest entry and the head of a log that verifies. */
  readonly newest?: NewestEntry;
}

const otherForm = "form_01hk153x00e5rbcwg8rxcnh8w1";

/** A form whose founder brings in a manager, who rotates, becomes an owner, and stays alone; a manager of theirs comes, rotates and leaves. */
const year: readonly Step[] = [
  { version: 1, by: "founder", owners: ["founder"] },
  { version: 1, by: "founder", owners: ["founder"], managers: ["second"] },
  { version: 2, by: "second", owners: ["founder"], managers: ["second"], place: 2 },
  { version: 2, by: "founder", owners: ["founder", "second"], managers: [] },
  { version: 4, rsa: true, seedless: true, by: "second", owners: ["second"], managers: ["third", "fourth"] },
  { version: 5, rsa: true, by: "third", owners: ["second"], managers: ["fourth"], place: 2 },
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

  const addMade = async (
    name: string,
    steps: readonly Step[],
    outcome: KeyLogVector["outcome"],
    head: KeyLogHead | null = null,
  ) => {
    const made = await make(steps, head ?? undefined);
    const last = made.entries.at(-1)?.head ?? null;
    // The entry of a head is the first one that a reader gets.
    const isPinned = head !== null;
    add(name, {
      log: made.text,
      outcome,
      ...(isPinned && { head: made.entries[0]?.head ?? null }),
      ...(outcome === "verified" && { newest: await describe(steps.at(-1), last) }),
    });
  };

  add("from its first entry", verified);
  for (const number of [1, 3, 5, 6])
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
  const fork = await make([...year.slice(0, 3), { version: 3, by: "founder", owners: ["founder"] }]);
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
    newest: await describe({ version: 3, by: "founder", owners: ["founder"] }, fork.entries.at(-1)?.head ?? null),
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
    log: await deviating(3, { by: "third", managers: ["second", "third"] }),
    outcome: "not_signed",
  });
  add("signed by a former signer", { log: await deviating(6, { by: "founder", place: 1 }), outcome: "not_signed" });
  add("signed by a manager who has left", {
    log: (await make([...year, { ...(year[5] as Step), version: 6, place: 3 }])).text, // the year has it
    outcome: "not_signed",
  });
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
  for (const { name, steps, outcome, startsAfter } of await tableCases())
    await addMade(name, steps, outcome, startsAfter);
  const malformed: Readonly<Record<string, Partial<Step>>> = {
    "another format": { content: { format: "sealpost-key-log/2" } },
    "an id of something else": { content: { formId: "sub_01hk153x00e5rbcwg8rxcnh8w0" } },
    "number 0": { content: { number: 0 } },
    "place 0": { content: { place: 0 } },
    "no place": { content: { place: undefined } },
    "place as a text": { content: { place: "1" } },
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
    "version 2,147,483,648": { key: { version: keyLogNumberMax + 1 } },
    "no reply key": { key: { replyKey: undefined } },
    "a reply key of 31 bytes": { key: { replyKey: "A".repeat(42) } },
    "a reply key of a number": { key: { replyKey: 1 } },
    "no hybrid fingerprint": { key: { hybridFingerprint: undefined } },
    "a hybrid fingerprint of a number": { key: { hybridFingerprint: 1 } },
    "a member of the key too many": { key: { modulus: "AAAA" } },
    "no key": { content: { key: null } },
    "no owner": { content: { owners: [] } },
    "owners of a text": { content: { owners: "second" } },
    "managers of a text": { content: { managers: "second" } },
    "no managers": { content: { managers: undefined } },
    "an owner that is no key": { content: { owners: ["second"] } },
    "a manager that is no key": { content: { managers: ["second"] } },
    "33 owners": { content: { owners: await manySigners(33) } },
    "32 owners and a manager": { content: { owners: await manySigners(32) } },
    "an owner who is a manager too": { managers: ["second", "founder"] },
    "signers, as in the drafts before": { content: { signers: [] } },
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
  add("a critical extension", { log: await deviating(4, newer), outcome: "unknown_extension" });
  const pinned = await make([...year.slice(0, 3), { ...(year[3] as Step), ...newer }]); // the year has it
  add("a critical extension of the pinned entry", {
    ...{ head: pinned.entries[3]?.head ?? null, log: pinned.entries[3]?.lines ?? "", outcome: "unknown_extension" },
  } as const);
  add("a critical extension with another's signature", {
    log: await deviating(4, { ...newer, signWith: "third" }),
    outcome: "not_signed",
  });
  add("a critical extension and an earlier version", {
    log: await deviating(4, { ...newer, version: 1 }),
    outcome: "not_allowed",
  });
  add("a manager's critical extension", { log: await deviating(3, newer), outcome: "not_allowed" });
  const withMark = await deviating(1, { alter: (lines) => `\ufeff${lines}` });
  add("a byte order mark", { log: withMark, outcome: "malformed" });
  const [one = "", other = ""] = await manySigners(2);
  for (const members of ["owners", "managers"] as const) {
    add(`${members} in another order`, {
      log: await deviating(1, { content: { [members]: [other, one] } }),
      outcome: "malformed",
    });
    add(`one of the ${members} twice`, {
      log: await deviating(1, { content: { [members]: [one, one] } }),
      outcome: "malformed",
    });
  }
  const full = { owners: ["founder"], managers: manyNames(31) };
  await addMade("an owner and 31 managers", [{ ...(year[0] as Step), ...full }], "verified"); // the year has it
  await addMade("32 owners", [{ ...(year[0] as Step), owners: [...manyNames(31), "founder"] }], "verified");
  return Promise.all(vectors.map(withHead));
}

/** The head of what verifies, where its maker did not give it. */
async function withHead(vector: KeyLogVector): Promise<KeyLogVector> {
  if (vector.newest === undefined || vector.newest.head.hash !== "") return vector;
  const line = vector.log.split("\n").at(-3) ?? "";
  const hash = encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(line))));
  return { ...vector, newest: { ...vector.newest, head: { number: JSON.parse(line).number, hash } } };
}

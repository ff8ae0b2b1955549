/**
 * `npm run bench -- lists`: what it takes to verify a list of members of 3,000 entries whole, entries after those that are kept, and what is kept alone, next to
 * bare Ed25519 signatures of the same lines. The aim is at most 3 times that for each entry that is verified. Processor time; rounds alternate.
 */
import { parseArgs } from "node:util";
import {
  type Change,
  createListEntry,
  formatNames,
  generatePersonalKey,
  importSigningKey,
  type NameText,
  type PersonalKey,
  RefusalError,
  type VerifiedList,
  verifyContinuedList,
  verifyKeptList,
  verifyList,
  verifyNextEntry,
} from "@sealpost/envelope";
import { createId, decodeBase64Url, signedBytes } from "@sealpost/wire";
import { describeMachine, median } from "./machine.ts";

const { values } = parseArgs({
  options: {
    entries: { type: "string", default: "3000" },
    members: { type: "string", default: "400" },
    later: { type: "string", default: "100" },
    rounds: { type: "string", default: "5" },
  },
});
const [entryCount, memberCount, laterCount, rounds] = [values.entries, values.members, values.later, values.rounds].map(
  Number,
) as [number, number, number, number];

const organizationId = createId("account");
const people: { readonly id: string; readonly key: PersonalKey }[] = [];
for (let index = 0; index < memberCount; index++)
  people.push({ id: createId("account"), key: await generatePersonalKey() });
const [owner] = people;
if (owner === undefined) throw new Error("There is an owner");
const signer = { id: owner.id, signingKey: await importSigningKey(owner.key.signingSeed) };
const encode = (text: string) => new TextEncoder().encode(text);

const entries: string[] = [];
const lines: NameText[] = [];
let list: VerifiedList | undefined;
for (let index = 0; index < entryCount; index++) {
  const signed = await createListEntry(list, organizationId, toChange(index), signer);
  const next = await verifyNextEntry(list, organizationId, encode(signed.entry));
  if (next instanceof RefusalError) throw next;
  entries.push(signed.entry);
  lines.push(...signed.names);
  list = next.list;
}

/** Members are added; then their roles change, and people are vouched for. */
function toChange(index: number): Change {
  const person = people[index % memberCount] ?? throwMissing();
  const { recipient, signingKey } = person.key;
  const member = { id: person.id, recipient, signingKey };
  if (index < memberCount)
    return { change: "add", member: { ...member, name: `Person ${index}`, role: index === 0 ? "owner" : "reader" } };
  if (index % 2 === 0 || person === owner) return { change: "vouch", members: [people[1]?.id ?? ""] };
  const role = Math.floor(index / memberCount) % 2 === 0 ? "reader" : "auditor";
  return { change: "replace", member: { ...member, name: undefined, role } };
}

function throwMissing(): never {
  throw new Error("There are people");
}

const head = list?.head ?? throwMissing();
const names = encode(formatNames(organizationId, lines));
const whole = encode(entries.join(""));
const kept = encode(entries.slice(0, -laterCount).join(""));
const later = encode(entries.slice(-laterCount).join(""));
const keptHead = await headAt(entryCount - laterCount);

async function headAt(number: number) {
  const line = entries[number - 1]?.split("\n")[0] ?? "";
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", encode(line)));
  return { number, hash: Buffer.from(digest).toString("base64url") };
}

const publicKey = await crypto.subtle.importKey(
  "raw",
  decodeBase64Url(owner.key.signingKey) ?? throwMissing(),
  "Ed25519",
  false,
  ["verify"],
);

async function verifyBare(some: readonly string[]): Promise<void> {
  for (const entry of some) {
    const [line = "", signatureLine = "{}"] = entry.split("\n");
    const signature = decodeBase64Url(JSON.parse(signatureLine).signature) ?? throwMissing();
    if (!(await crypto.subtle.verify("Ed25519", publicKey, signature, signedBytes("sealpost-list/1", line))))
      throw new Error("A signature is wrong");
  }
}

async function accept(work: Promise<VerifiedList | RefusalError>): Promise<void> {
  const result = await work;
  if (result instanceof RefusalError) throw result;
}

const trust = { signingKey: owner.key.signingKey };
const works = {
  bare: () => verifyBare(entries),
  whole: () => accept(verifyList(whole, { organizationId, trust, names })),
  kept: () => accept(verifyKeptList(whole, { organizationId, head, names })),
  keptBefore: () => accept(verifyKeptList(kept, { organizationId, head: keptHead, names })),
  continued: () => accept(verifyContinuedList(kept, later, { organizationId, head: keptHead, names })),
};
type Work = keyof typeof works;
const times = new Map<Work, number[]>();
for (let round = -1; round < rounds; round++)
  for (const [name, work] of Object.entries(works) as [Work, () => Promise<void>][]) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    // After one to warm up.
    if (round >= 0) times.set(name, [...(times.get(name) ?? []), (user + system) / 1000]);
  }

const of = (name: Work) => median(times.get(name) ?? []);
const bare = of("bare") / entryCount;
const row = (name: string, milliseconds: number, count: number) =>
  `| ${name} | ${milliseconds.toFixed(0)} | ${((1000 * milliseconds) / count).toFixed(0)} | ${(milliseconds / count / bare).toFixed(2)} |`;
console.log(`${describeMachine()}

${entryCount} entries, ${memberCount} members, ${whole.length} bytes; medians of ${rounds} rounds

| work | processor, ms | µs an entry | × bare Ed25519 |
|---|---|---|---|
${row("bare signatures", of("bare"), entryCount)}
${row("the list whole", of("whole"), entryCount)}
${row(`${laterCount} entries after kept ones`, Math.max(0, of("continued") - of("keptBefore")), laterCount)}
${row("a kept list with nothing new", of("kept"), entryCount)}`);

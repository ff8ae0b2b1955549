import {
  continueKeyLog,
  type EnvelopeContent,
  firstVersionOf,
  importSigningKey,
  type Member,
  mayRead,
  RefusalError,
  toLoggedKey,
} from "@sealpost/envelope";
import { encodeText, verifyKeyLog } from "@sealpost/wire";
import fc from "fast-check";
import { toReader } from "../../packages/envelope/src/envelope-checks.ts";
import { signLine } from "../../packages/envelope/src/signature.ts";
import { hashOf } from "../../packages/envelope/src/text.ts";
import { formKeyOf, idOf, keyOf, type Name } from "./people.ts";
import { keysOf, memberOf, newestList, noteStored, readContent, type World } from "./world.ts";

/** A revision that somebody dishonest makes with the keys that they have, and what is wrong with it. */
export interface Forgery {
  /** Which revision is altered: the newest one that opens for them, or the one before. */
  readonly isOfOlder: boolean;
  readonly of: "the last" | "the first" | "one that is begun" | "one far above";
  readonly readers: "the same" | "with the puppet" | "with everybody" | "without rea" | "without ole" | "themself";
  readonly by: "the same" | "themself" | "ada" | "nobody";
  readonly keys: "the same" | "without the last" | "with one ahead" | "another last" | "another seed" | "their own";
  readonly list: "newest" | "the same" | "older" | "made up";
  readonly log: "the same" | "newest" | "none" | "made up";
  readonly shape: "in order" | "bytes" | "another revision" | "another previous" | "another form";
  readonly isFormerKey: boolean;
  /** The service publishes the key that is new in it. */
  readonly isPublished: boolean;
}

const often = <Value>(usual: Value, ...others: readonly Value[]) =>
  fc.oneof(
    { weight: others.length, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(...others) },
  );

export const anyForgery: fc.Arbitrary<Forgery> = fc.record({
  isOfOlder: often(false, true),
  of: fc.constantFrom(
    "the last",
    "the last",
    "the last",
    "the first",
    "one that is begun",
    "one that is begun",
    "one far above",
  ),
  readers: often<Forgery["readers"]>(
    "the same",
    "with the puppet",
    "with everybody",
    "without rea",
    "without ole",
    "themself",
  ),
  by: often<Forgery["by"]>("the same", "themself", "ada", "nobody"),
  keys: often<Forgery["keys"]>(
    "the same",
    "without the last",
    "with one ahead",
    "another last",
    "another seed",
    "their own",
  ),
  list: often<Forgery["list"]>("newest", "the same", "older", "made up"),
  log: often<Forgery["log"]>("the same", "newest", "none", "made up"),
  shape: often<Forgery["shape"]>("in order", "bytes", "another revision", "another previous", "another form"),
  isFormerKey: often(false, true),
  isPublished: fc.boolean(),
});

/** Stores it, where the service takes it. */
export async function forge(world: World, by: Name, forgery: Forgery): Promise<void> {
  const role = memberOf(world, by)?.role;
  if (world.honest.has(by) || role === "owner") return;
  // An honest service takes revisions of members who may write them.
  if (role !== "manager" && !world.isColluding) return;
  const { envelopes } = world.service;
  const versions = [...envelopes.keys()].toSorted((one, other) => one - other);
  const last = versions.at(-1) ?? 1;
  const isBegun = isOfBegun(forgery);
  const from = forgery.of === "the first" ? 1 : last;
  const firstVersion = isBegun ? last + (forgery.of === "one far above" ? 64 : 32) : from;
  if (isBegun && !world.isColluding && firstVersionOf(newestOf(world) + 1) !== firstVersion) return;
  const base = await findBase(world, by, from, forgery.isOfOlder);
  if (base === undefined) return;
  const stored = isBegun ? [] : (envelopes.get(firstVersion) ?? []);
  const place = { firstVersion, revision: stored.length + 1, previous: stored.at(-1)?.file };
  const { file, key } = await write(world, by, forgery, base, place);
  envelopes.set(firstVersion, [...stored, { file, writer: by, isDishonest: true }]);
  // An honest service begins an envelope only together with its version.
  if (key !== undefined && (forgery.isPublished || (isBegun && !world.isColluding)))
    world.service.published = [...world.service.published, { version: key.version, fingerprint: key.fingerprint }];
  await noteStored(world, { firstVersion, revision: place.revision, by, said: new Set() });
}

function isOfBegun({ of }: Forgery): boolean {
  return of === "one that is begun" || of === "one far above";
}

/** The newest revision that opens for them, or an older one. */
async function findBase(world: World, by: Name, firstVersion: number, isOlder: boolean) {
  const found: EnvelopeContent[] = [];
  for (const { file } of (world.service.envelopes.get(firstVersion) ?? []).toReversed()) {
    const content = await readContent(world, by, file);
    if (content !== undefined) found.push(content);
    if (found.length === 2) break;
  }
  return isOlder ? (found[1] ?? found[0]) : found[0];
}

interface Place {
  readonly firstVersion: number;
  readonly revision: number;
  readonly previous: Uint8Array<ArrayBuffer> | undefined;
}

async function write(world: World, by: Name, forgery: Forgery, base: EnvelopeContent, place: Place) {
  const { firstVersion, revision, previous } = place;
  if (forgery.shape === "bytes")
    return {
      file: encodeText(`made up ${revision}`),
      key: isOfBegun(forgery) ? await begunKey(world, firstVersion) : undefined,
    };
  const list = alterList(world, forgery, base);
  const members = newestList(world).membersAt(list) ?? newestList(world).members;
  const { keys, key } = await alterKeys(world, by, forgery, base, firstVersion);
  const keyLog = await alterLog(world, by, forgery, base, key);
  const readers = alterReaders(by, forgery, base, members);
  const content: EnvelopeContent = {
    ...base,
    ...{ firstVersion, revision, list, keyLog, keys },
    previous: previous === undefined ? null : await hashOf(previous),
    readers: await Promise.all(readers.map((one) => toReader(one, alterBy(by, forgery, base, one.id)))),
    signedBy: idOf(by),
    ...(forgery.shape === "another revision" && { revision: revision + 1 }),
    ...(forgery.shape === "another previous" && previous !== undefined && { previous: await hashOf("made up") }),
    ...(forgery.shape === "another form" && { formId: "form_01hk153x00e5rbcwg8rxcnh8w5" as never }),
  };
  const generation = Math.max(0, (world.generationOf.get(by) ?? 0) - Number(forgery.isFormerKey));
  const signingKey = await importSigningKey((await keyOf(by, generation)).signingSeed);
  const text = await signLine(content.format, JSON.stringify(content), signingKey);
  const file = await world.age.encrypt(
    readers.map(({ recipient }) => recipient),
    text,
  );
  return { file, key };
}

function alterList(world: World, { list }: Forgery, base: EnvelopeContent): EnvelopeContent["list"] {
  const { head } = newestList(world);
  if (list === ("same" as never) || list === "the same") return base.list;
  if (list === "older") return world.lists[Math.max(0, base.list.number - 2)]?.head ?? head;
  return list === "made up" ? { number: head.number + 1, hash: head.hash } : head;
}

async function alterKeys(
  world: World,
  _by: Name,
  forgery: Forgery,
  base: EnvelopeContent,
  firstVersion: number,
): Promise<{ readonly keys: EnvelopeContent["keys"]; readonly key?: EnvelopeContent["keys"][number] }> {
  const { keys } = forgery;
  const newest = newestOf(world);
  const last = base.keys.at(-1);
  if (isOfBegun(forgery)) {
    const key = await begunKey(world, firstVersion);
    return { keys: [key], key };
  }
  const rest = base.keys.slice(0, -1);
  const ahead = newest + 1;
  if (last === undefined || keys === "the same") return { keys: base.keys };
  if (keys === "without the last") return { keys: rest.length === 0 ? base.keys : rest };
  if (keys === "another seed")
    return { keys: [...rest, { ...last, seed: (await formKeyOf(last.version, true)).key.seed }] };
  if (keys === "another last") return { keys: [...rest, (await formKeyOf(last.version, true)).key] };
  if (firstVersionOf(ahead) !== firstVersion || base.keys.some(({ version }) => version === ahead))
    return { keys: base.keys };
  const { key } = await formKeyOf(ahead, true);
  return { keys: keys === "their own" ? [key] : [...base.keys, key], key };
}

const newestOf = ({ service }: World) => Math.max(...service.published.map(({ version }) => version));

async function begunKey(world: World, firstVersion: number): Promise<EnvelopeContent["keys"][number]> {
  return (await formKeyOf(Math.max(newestOf(world) + 1, firstVersion), true)).key;
}

/** With the entry of a new key, where they may sign it. */
async function alterLog(
  world: World,
  by: Name,
  { log, isPublished }: Forgery,
  base: EnvelopeContent,
  key: EnvelopeContent["keys"][number] | undefined,
): Promise<EnvelopeContent["keyLog"]> {
  const { service } = world;
  const { formId } = base;
  if (key !== undefined && isPublished && service.keyLog !== "") {
    const own = await keysOf(world, by);
    const entry = await continueKeyLog(encodeText(service.keyLog), { formId, key: await toLoggedKey(formId, key) }, [
      own,
    ]).catch(toRefusal);
    if (!(entry instanceof RefusalError)) service.keyLog += entry;
  }
  if (log === "none") return null;
  if (log === "made up") return { number: (base.keyLog?.number ?? 0) + 1, hash: await hashOf("made up") };
  const known = service.keyLog === "" ? undefined : await verifyKeyLog(encodeText(service.keyLog), { formId });
  return log === "newest" && typeof known === "object" ? known.head : base.keyLog;
}

function toRefusal(error: unknown): RefusalError {
  if (error instanceof RefusalError) return error;
  throw error;
}

function alterReaders(by: Name, { readers }: Forgery, base: EnvelopeContent, members: ReadonlyMap<string, Member>) {
  const before = new Set(base.readers.map(({ id }) => id));
  const isKept = ({ id, role }: Member) => {
    if (role === "recovery" || id === idOf(by)) return true;
    if (readers === "with everybody") return true;
    if (readers === "themself") return false;
    if (readers === "with the puppet" && id === idOf("puppet")) return true;
    if (readers === "without rea" && id === idOf("rea")) return false;
    if (readers === "without ole" && id === idOf("ole")) return false;
    return before.has(id);
  };
  return [...members.values()]
    .filter((one) => mayRead(one) && isKept(one))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function alterBy(by: Name, forgery: Forgery, base: EnvelopeContent, id: string): string | null {
  if (forgery.by === "themself") return idOf(by);
  if (forgery.by === "ada") return idOf("ada");
  if (forgery.by === "nobody") return null;
  return base.readers.find((one) => one.id === id)?.by ?? idOf(by);
}

import {
  type Change,
  createListEntry,
  createSeenHeads,
  type EnvelopeContent,
  type HeadStore,
  importSigningKey,
  type NameText,
  RefusalError,
  toNamesFile,
  type VerifiedList,
  verifyNextEntry,
} from "@sealpost/envelope";
import type { EnvelopeClient, KnownList } from "@sealpost/sdk/envelopes";
import { encodeText } from "@sealpost/wire";
import { organizationId } from "../../packages/envelope/src/testing/people.ts";
import { toSealingList } from "../../packages/sdk/src/envelopes/whole-form.ts";
import { createAgent } from "./agent.ts";
import { idOf, keyOf, type Name, nameOf, names, startRoles } from "./people.ts";
import type { AgeFiles } from "./plain-age.ts";
import { createApi, forkService, type Lie, type Service } from "./service.ts";

/** A device of a person: its memory, and what a test remembers of it. */
export interface Device {
  readonly name: Name;
  /** A program, and not a page. */
  readonly values: Map<string, unknown>;
  /** Entries of the list that it has seen. */
  list: number;
  /** By version, the published keys that it has opened, with their seeds; and who put them aside knows it. */
  readonly keys: Map<number, string>;
  /** It has seen at first what was made by somebody dishonest, and takes readers as they like. */
  isTrusting: boolean;
}

/** Somebody who may do so lets a reader in, having seen so many entries of the list; or an honest one takes them out. */
export type ReaderEvent = { readonly reader: Name } & (
  | { readonly by: Name; readonly list: number }
  | { readonly by?: undefined }
);

export interface World {
  readonly age: AgeFiles;
  /** After each entry. */
  readonly lists: VerifiedList[];
  readonly lines: NameText[];
  readonly generationOf: Map<Name, number>;
  readonly service: Service;
  readonly devices: readonly Device[];
  readonly honest: ReadonlySet<Name>;
  /** The service stores whatever dishonest members want. */
  readonly isColluding: boolean;
  /** By first version. */
  readonly events: Map<number, readonly ReaderEvent[]>;
}

export function fork({ service, devices, ...world }: World): World {
  return {
    ...world,
    lists: [...world.lists],
    lines: [...world.lines],
    generationOf: new Map(world.generationOf),
    events: new Map(world.events),
    service: forkService(service),
    devices: devices.map((device) => ({ ...device, values: new Map(device.values), keys: new Map(device.keys) })),
  };
}

export function openDevice(name: Name, list: number): Device {
  return { name, values: new Map(), list, keys: new Map(), isTrusting: false };
}

/** The person has put aside what the device has seen of the form, or has got another one. */
export function forget(device: Device): void {
  device.keys.clear();
  device.isTrusting = false;
}

export const newestList = ({ lists }: Pick<World, "lists">) => lists.at(-1) as VerifiedList; // there is one from the start

export const memberOf = (world: World, name: Name) => newestList(world).members.get(idOf(name));

/** The key that the person uses, and those that it has replaced. */
export async function keysOf({ generationOf }: World, name: Name) {
  const generation = generationOf.get(name) ?? 0;
  const key = await keyOf(name, generation);
  const former = await Promise.all(Array.from({ length: generation }, (_, index) => keyOf(name, index)));
  return { ...key, former: former.toReversed() };
}

/** Adds an entry, unless the rules do not let them. */
export async function writeEntry(world: World, by: Name, change: Change): Promise<boolean> {
  const before = world.lists.at(-1);
  const signingKey = await importSigningKey((await keysOf(world, by)).signingSeed);
  const entry = await createListEntry(before, organizationId, change, { id: idOf(by), signingKey }).catch(toRefusal);
  if (entry instanceof RefusalError) return false;
  world.lines.push(...entry.names);
  const next = await verifyNextEntry(before, organizationId, encodeText(entry.entry), toNamesFile(world.lines));
  if (next instanceof RefusalError) throw next;
  world.lists.push(next.list);
  return true;
}

function toRefusal(error: unknown): RefusalError {
  if (error instanceof RefusalError) return error;
  throw error;
}

export async function foundList(world: World): Promise<void> {
  for (const name of names) {
    const role = startRoles[name];
    if (role === undefined) continue;
    const { recipient, signingKey } = await keysOf(world, name);
    const member = { id: idOf(name), name, role, recipient, signingKey: role === "recovery" ? null : signingKey };
    await writeEntry(world, "ada", { change: "add", member });
  }
}

export interface Act {
  readonly lie?: Lie | undefined;
  /** Readers of whom the person says in this act that they read on, or from now on. */
  readonly said?: ReadonlySet<string>;
}

/** The client of a person on a device. */
export async function clientOf(world: World, device: Device, { lie, said = new Set() }: Act = {}) {
  const { name } = device;
  const key = await keysOf(world, name);
  const heads = createSeenHeads(toStore(device.values));
  const isHonest = world.honest.has(name);
  const client: EnvelopeClient = {
    ...{ heads, keyAgent: createAgent(key, world.age) },
    own: { signingKey: key.signingKey, former: key.former.map(({ signingKey }) => signingKey) },
    api: createApi(world.service, {
      ...{ lie, by: { writer: name, isDishonest: !isHonest || device.isTrusting } },
      onStored: (firstVersion, revision) => noteStored(world, { firstVersion, revision, by: name, said }),
    }),
    loadList: async () => toSealingList(await readList(), heads, key),
  };
  const readList = async (): Promise<KnownList> => {
    if (!lie?.isListOld) device.list = world.lists.length;
    const list = world.lists[device.list - 1];
    if (list === undefined) throw new Error("There is no list");
    // In the same thread the list itself is taken, and not its bytes.
    return { list, bytes: new Uint8Array(), names: new Uint8Array() };
  };
  return { client, readList };
}

function toStore(values: Map<string, unknown>): HeadStore {
  return {
    isLasting: true,
    find: async (name) => values.get(name),
    async change(name, change) {
      const after = change(values.get(name));
      if (after !== undefined) values.set(name, after);
    },
  };
}

/** The content of a file, unless it opens for none of the keys that the person has. */
export async function readContent(
  world: World,
  name: Name,
  file: Uint8Array<ArrayBuffer>,
): Promise<EnvelopeContent | undefined> {
  for (let generation = 0; generation <= (world.generationOf.get(name) ?? 0); generation++)
    try {
      const { identity } = await keyOf(name, generation);
      const [line = ""] = new TextDecoder().decode(await world.age.decrypt(identity, file)).split("\n");
      return JSON.parse(line) as EnvelopeContent; // what was made here
    } catch {}
  return undefined;
}

interface StoredBy {
  readonly firstVersion: number;
  readonly revision: number;
  readonly by: Name;
  readonly said: ReadonlySet<string>;
}

/** Notes who was let in and taken out. */
export async function noteStored(world: World, { firstVersion, revision, by, said }: StoredBy): Promise<void> {
  const below = Math.max(0, ...[...world.service.envelopes.keys()].filter((one) => one < firstVersion));
  const before = world.events.get(firstVersion) ?? world.events.get(below) ?? [];
  world.events.set(firstVersion, before);
  const file = world.service.envelopes.get(firstVersion)?.[revision - 1]?.file;
  const content = file && (await readContent(world, by, file));
  if (content === undefined) return;
  const now = content.readers.flatMap(({ id }) => nameOf(id) ?? []);
  const isHonest = world.honest.has(by);
  const list = world.lists.length;
  const mayLetIn = isHonest || (await isQualified(world, firstVersion, by));
  const isLetIn = (reader: Name) => mayLetIn && (!isHonest || said.has(idOf(reader)) || reader === by);
  const entering = now.filter(isLetIn).map((reader) => ({ reader, by, list }));
  const leaving = isHonest ? names.filter((name) => !now.includes(name)).map((reader) => ({ reader })) : [];
  world.events.set(firstVersion, [...before, ...leaving, ...entering]);
}

/** Whether the list and the form have them: as an owner, or as a manager who reads. */
async function isQualified(world: World, firstVersion: number, name: Name): Promise<boolean> {
  const role = memberOf(world, name)?.role;
  if (role === "owner") return true;
  return role === "manager" && findSupports(world, firstVersion, name).length > 0;
}

/** Who has let a reader in since they were last taken out. */
export function findSupports({ events }: World, firstVersion: number, reader: Name) {
  const own = (events.get(firstVersion) ?? []).filter((one) => one.reader === reader);
  const last = own.findLastIndex(({ by }) => by === undefined);
  return own.slice(last + 1).flatMap((one) => (one.by === undefined ? [] : [one]));
}

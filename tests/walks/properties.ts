import { type EnvelopeHead, findUnintroduced } from "@sealpost/envelope";
import { bringable, findDisplaced, type OpenedEnvelope, openForm } from "@sealpost/sdk/envelopes";
import { findTakenOut } from "../../packages/envelope/src/outdated.ts";
import { formId } from "../../packages/envelope/src/testing/envelope-maker.ts";
import { findCut } from "../../packages/envelope/src/vouching.ts";
import { bringBackOne, changeLog, changeReaders, clear, giveUpLogHere, putAside, rotate, sayIsRight } from "./acts.ts";
import { idOf, nameOf } from "./people.ts";
import type { Lie } from "./service.ts";
import { clientOf, type Device, findSupports, fork, keysOf, memberOf, newestList, type World } from "./world.ts";

/** The envelopes that a device has opened. */
export interface Sight {
  readonly envelopes: readonly OpenedEnvelope[];
  /** Why others are refused, and which. */
  readonly refused: readonly { readonly firstVersion: number; readonly reason: string }[];
  /** First versions of the envelopes that opened, and have another key than the service publishes. */
  readonly displaced: readonly number[];
  /** The first revision of an envelope that the device is shown, by somebody who writes no longer. */
  readonly toLookAt?: EnvelopeHead | undefined;
  /** Nothing is refused, and something opens. */
  readonly isWhole: boolean;
}

const fail = (text: string): never => {
  throw new Error(text);
};

/** Whether the list has the person with the key that their devices use, in a role that reads. */
export async function isListed(world: World, { name }: Pick<Device, "name">): Promise<boolean> {
  const member = memberOf(world, name);
  const { recipient } = await keysOf(world, name);
  const reads = member !== undefined && ["owner", "manager", "reader"].includes(member.role);
  return reads && member.recipient === recipient;
}

/** Opens the form on a device, which loses no key by it, and has nobody read without a mark who was taken out, or whom nobody has let in who may. */
export async function look(world: World, device: Device, lie?: Lie): Promise<Sight> {
  const { client, readList } = await clientOf(world, device, { lie });
  const isFirst = (await client.heads.findEnvelopes(formId)).heads.length === 0;
  const opened = await openForm(client, { formId, loadList: readList });
  if (opened.kind !== "opened") return { envelopes: [], refused: [], displaced: [], isWhole: false };
  const { envelopes, refused, list } = opened;
  for (const { head } of envelopes) {
    // Not promised (SPECIFICATION.md section 15, at its end): a manager who had the keys shows readers as they like to who opens for the first time.
    const { isDishonest = false } = world.service.envelopes.get(head.firstVersion)?.[head.revision - 1] ?? {};
    if (isDishonest && isFirst) device.isTrusting = true;
    noteKeys(device, head);
  }
  for (const envelope of envelopes) {
    const { firstVersion, revision } = envelope.head;
    const isNewest = revision === world.service.envelopes.get(firstVersion)?.length;
    if (isNewest && !device.isTrusting) requireMarks(world, device, envelope, list.list);
  }
  // At the first sight a key that the service denied may have been replaced: a sentence says so, and nothing is written.
  const isFormsOwn = envelopes.length > 0 && opened.otherKeys.length === 0;
  const displaced = findDisplaced(opened);
  const [first] = refused.filter(({ reason }) => reason === "former_writer");
  const toLookAt = opened.forReading.find(({ firstVersion }) => firstVersion === first?.firstVersion)?.head;
  return { envelopes, refused, displaced, toLookAt, isWhole: isFormsOwn && refused.length === 0 };
}

/** No published key that was opened here is missing, or another one. */
function noteKeys({ name, keys }: Device, head: EnvelopeHead): void {
  const now = new Map(head.keys.map(({ version, fingerprint, seedHash }) => [version, `${fingerprint} ${seedHash}`]));
  for (const [version, key] of keys) {
    if (version < head.firstVersion || version > head.firstVersion + 31 || now.get(version) === key) continue;
    fail(`key lost: ${name} has opened revision ${head.revision} of ${head.firstVersion} without the key ${version}`);
  }
  for (const { version, isPublished } of head.keys) if (isPublished) keys.set(version, now.get(version) ?? "");
}

function requireMarks(world: World, { name }: Device, envelope: OpenedEnvelope, list: World["lists"][number]): void {
  const { head, readers, outdated, unknown } = envelope;
  const marked = new Set([...findUnintroduced(list, head), ...outdated, ...unknown]);
  for (const { id } of readers) {
    const [reader, role] = [nameOf(id), list.members.get(id)?.role];
    if (reader === undefined || role === undefined || role === "owner" || role === "recovery") continue;
    if (marked.has(id)) continue;
    const isSupported = findSupports(world, head.firstVersion, reader).some((one) => {
      const by = list.members.get(idOf(one.by))?.role;
      return (by === "owner" || by === "manager") && !findCut(list, one.list).has(idOf(one.by));
    });
    if (!isSupported) fail(`silent gain: ${reader} reads ${head.firstVersion} unmarked where ${name} looks`);
  }
}

export type Probe = "rotate" | "read again" | "remove a reader";
export const probes = ["rotate", "read again", "remove a reader"] as const satisfies readonly Probe[];

/** Counts what happened, to see that walks reach what they are about. */
export type Counts = Map<string, number>;
const count = (counts: Counts, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1);

/** Refusals of a manager's act that take nothing away: an owner has to act, or a person to look. */
const waits: ReadonlySet<string> = new Set([
  ...["taken_out", "unconfirmed", "former_writer", "name_missing"],
  ...["no_signer", "places_used", "version_gap", "overtaken", "hidden", "old", "forked"].map(
    (one) => `key log: ${one}`,
  ),
]);

/** The state is one from which everybody continues. Throws otherwise. */
export async function requireWays(world: World, probe: Probe, counts: Counts): Promise<void> {
  const all = fork(world);
  const wholes: number[] = [];
  const listed: number[] = [];
  for (const [index, device] of all.devices.entries()) {
    if (!world.honest.has(device.name) || !(await isListed(all, device))) continue;
    listed.push(index);
    const { isWhole } = await look(all, device);
    if (isWhole) wholes.push(index);
  }
  for (const index of listed) {
    const role = roleOf(all, index);
    if (wholes.includes(index) && (role === "owner" || role === "manager"))
      await requireContinuable(all, { index, wholes, probe, counts });
    if (role === "owner" && isLetIn(all, index)) await requireWay(all, { index, listed, counts });
  }
}

const roleOf = (world: World, index: number) => {
  const device = world.devices[index];
  return device && memberOf(world, device.name)?.role;
};

/** Whether somebody who may has let the person in, and nobody has taken them out since, of the form or of the list. */
function isLetIn(world: World, index: number): boolean {
  const name = world.devices[index]?.name ?? "rob";
  const list = newestList(world);
  return findSupports(world, 1, name).some((one) => !findTakenOut(list, one.list, list.head.number).has(idOf(name)));
}

interface Continuing {
  readonly index: number;
  readonly wholes: readonly number[];
  readonly probe: Probe;
  readonly counts: Counts;
}

/** Who has opened everything acts, and everybody else who has takes it. */
async function requireContinuable(before: World, { index, wholes, probe, counts }: Continuing): Promise<void> {
  const world = fork(before);
  const device = world.devices[index] ?? fail("There is no such device");
  const role = roleOf(world, index) ?? "";
  let acted = await act(world, device, probe);
  // The form head was put aside, and the log that the device knows was given up since: the person says so (SPECIFICATION.md section 26).
  if (role === "owner" && acted === "key log: hidden" && world.service.keyLog === "") {
    await giveUpLogHere(world, device);
    acted = await act(world, device, probe);
  }
  // Who became an owner after the newest entry asks one whom that names, or gives the log up.
  if (role === "owner" && acted === "key log: no_signer") acted = await mendLog(world, device, acted);
  count(counts, `${role}, ${probe}: ${acted}`);
  // A service that begins an envelope with a version of its own uses up all that an owner's entry may skip, and more: the owner gives the log up.
  const isUsedUp = world.isColluding && (acted === "key log: version_gap" || acted === "far_version");
  const isWaiting = role === "manager" && waits.has(acted);
  if (acted !== "done" && !isWaiting && !isUsedUp) fail(`not continuable: ${device.name}, ${role}, ${probe}: ${acted}`);
  if (acted !== "done") return;
  for (const other of wholes) {
    const one = world.devices[other] ?? fail("There is no such device");
    if (!(await isListed(world, one)) || !reads(world, one)) continue;
    const { isWhole, refused } = await look(world, one);
    if (!isWhole) fail(`not taken: after ${device.name}, ${role}, ${probe}: ${one.name}: ${JSON.stringify(refused)}`);
  }
}

async function act(world: World, device: Device, probe: Probe): Promise<string> {
  if (probe === "rotate") return rotate(world, device);
  if (probe === "read again") return changeReaders(world, device, {});
  const { envelopes } = await look(world, device);
  const removable = envelopes.flatMap(({ readers }) => readers).find(({ id }) => memberRole(world, id) === "reader");
  return changeReaders(world, device, { remove: removable ? [removable.id] : [] });
}

const memberRole = (world: World, id: string) => world.lists.at(-1)?.members.get(id)?.role;

/** Whether the newest revision of each envelope is for the person. */
function reads({ events }: World, { name }: Device): boolean {
  return [...events.values()].every((all) => {
    const last = all.findLast(({ reader }) => reader === name);
    return last !== undefined && last.by !== undefined;
  });
}

interface Leading {
  readonly index: number;
  readonly listed: readonly number[];
  readonly counts: Counts;
}

/** An owner's device gets out of whatever is refused there, and after its rotation everybody opens the same. */
async function requireWay(before: World, { index, listed, counts }: Leading): Promise<void> {
  const world = fork(before);
  const device = world.devices[index] ?? fail("There is no such device");
  const way = await settle(world, device);
  count(counts, `an owner's way: ${way.join(", ")}`);
  const rotated = await rotate(world, device, { agrees: true });
  if (rotated !== "done") {
    const key = await mendLog(world, device, rotated);
    if (key !== "done") fail(`shut out: ${device.name} rotates after ${way.join(", ")}: ${rotated}, ${key}`);
  }
  await changeReaders(world, device, {});
  const newest = newestOf(world);
  for (const other of listed) {
    const one = world.devices[other] ?? fail("There is no such device");
    if (!isReadBy(await look(world, device), one)) continue;
    const followed = await settle(world, one, newest);
    count(counts, `others: ${followed.join(", ")}`);
  }
}

const newestOf = ({ service }: World) => [...service.envelopes].map(([version, all]) => `${version}: ${all.length}`);

const isReadBy = ({ envelopes }: Sight, { name }: Device) =>
  envelopes.length > 0 && envelopes.every(({ readers }) => readers.some(({ id }) => id === idOf(name)));

/** Gives up a log that nobody is left to continue, or whose newest version is far below one that the service has made up. */
async function mendLog(world: World, device: Device, reason: string): Promise<string> {
  if (!reason.startsWith("key log") && reason !== "far_version") return reason;
  // Somebody has given it up already: the person says so on this device.
  if (world.service.keyLog === "") {
    await giveUpLogHere(world, device);
    return rotate(world, device, { agrees: true });
  }
  const given = await changeLog(world, device, "give up");
  return given === "done" ? rotate(world, device, { agrees: true }) : given;
}

const isHonest = ({ service }: World, { firstVersion, revision }: EnvelopeHead) =>
  service.envelopes.get(firstVersion)?.[revision - 1]?.isDishonest !== true;

const triesMax = 8;
const gaveUp = "the log was given up";

/** Whether a revision names a log that the service does not show, as far as the device knows. */
async function namesLog(world: World, device: Device): Promise<boolean> {
  const { client } = await clientOf(world, device);
  return world.service.keyLog === "" && (await client.heads.findNamedKeyLogs(formId)).length > 0;
}

/** Does what a person does, after having been asked, until nothing is refused. With `newest` nothing may be written. */
async function settle(world: World, device: Device, newest?: readonly string[]): Promise<readonly string[]> {
  const way: string[] = [];
  for (let tries = 0; tries < triesMax; tries++) {
    const { refused, isWhole, displaced, toLookAt } = await look(world, device);
    if (isWhole) return way;
    if (toLookAt !== undefined && isHonest(world, toLookAt)) {
      way.push("looked at");
      await sayIsRight(world, device, toLookAt);
      continue;
    }
    const [other] = displaced;
    if (other !== undefined && newest === undefined && (await bringBackOne(world, device, other)) === "done") {
      way.push("another key was displaced");
      continue;
    }
    const [one] = refused.toSorted((first, other) => first.firstVersion - other.firstVersion);
    const isBringable = newest === undefined && one !== undefined && bringable.includes(one.reason as never);
    const brought = isBringable ? await bringBackOne(world, device, one.firstVersion) : "no";
    way.push(`${one?.reason ?? "nothing opens"} (${brought})`);
    if (brought === "done") continue;
    // There is nothing else.
    if (toLookAt !== undefined) {
      way.push("looked at");
      await sayIsRight(world, device, toLookAt);
      continue;
    }
    if (!way.includes(gaveUp) && (one?.reason === "unknown_key_log" || (await namesLog(world, device)))) {
      way.push(gaveUp);
      await giveUpLogHere(world, device);
      continue;
    }
    if (isBringable && (await clear(world, device, one.firstVersion)) === "done") {
      way.push("cleared");
      continue;
    }
    if (one !== undefined && newest === undefined && (await rotate(world, device, { agrees: true })) === "done") {
      way.push("rotated");
      continue;
    }
    await putAside(world, device);
  }
  return fail(`shut out: ${device.name} after ${way.join(", ")}`);
}

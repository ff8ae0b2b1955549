import {
  type EnvelopeHead,
  FarVersionError,
  findRotatedEnvelope,
  KeyLogProblemError,
  RefusalError,
} from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import {
  bringBack,
  changeFormReaders,
  clearEnvelope,
  confirmRotation,
  EnvelopeProblemError,
  findBringable,
  findClearable,
  findVersion,
  giveUpKeyLog,
  nameKeyLogHead,
  openForm,
  rotateWithEnvelope,
} from "@sealpost/sdk/envelopes";
import { formId } from "../../packages/envelope/src/testing/envelope-maker.ts";
import { beginKeyLog, renewKeyLog } from "../../packages/sdk/src/envelopes/form-key-log.ts";
import { openToRotate, openToWrite } from "../../packages/sdk/src/envelopes/whole-form.ts";
import { formKeyOf } from "./people.ts";
import type { Lie } from "./service.ts";
import { type Act, clientOf, type Device, forget, type World } from "./world.ts";

// Acts of an honest person, with a client. Each gives `done`, or why nothing was done.

/** With `agrees` the person agrees, having been asked, to what is lost by it, and says that the server's version is right. */
export async function rotate(world: World, device: Device, { lie, agrees = false }: Rotation = {}): Promise<string> {
  const { client } = await clientOf(world, device, { lie });
  return orReason(async () => {
    const { list, envelopes, refused } = await openToRotate(client, formId);
    if (envelopes.length === 0) return "no_envelope";
    const { version: keyVersion, named } = await findVersion(
      client,
      formId,
      envelopes,
      agrees ? async () => undefined : undefined,
    );
    const previous = findRotatedEnvelope(envelopes, keyVersion);
    if (previous === undefined) return "no_envelope";
    const confirmLoss = agrees ? async () => undefined : undefined;
    const shown = await confirmRotation(
      client,
      { list, envelopes, refused },
      formId,
      { version: keyVersion, named },
      { confirmLoss },
    );
    const { pair, key } = await formKeyOf(keyVersion);
    const rotation = { publicKey: pair.publicKey, keyVersion };
    const stored = await rotateWithEnvelope(client, list, formId, rotation, {
      ...{ key, previous, refused, shown },
    });
    return stored.kind === "read" ? "done" : `unread: ${stored.reason}`;
  });
}

interface Rotation {
  readonly lie?: Lie | undefined;
  readonly agrees?: boolean;
}

/** An owner writes an envelope of which nothing opens, without its keys. */
export async function clear(world: World, device: Device, firstVersion: number): Promise<string> {
  const { client } = await clientOf(world, device);
  return orReason(async () => {
    const list = await client.loadList();
    const found = await findClearable(client, list, formId, firstVersion);
    if (found === undefined) return "nothing";
    await clearEnvelope(client, list, found);
    return "done";
  });
}

export interface ReadersToChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  readonly lie?: Lie | undefined;
}

export async function changeReaders(world: World, device: Device, { add = [], remove = [], lie }: ReadersToChange) {
  const { client } = await clientOf(world, device, { lie, said: new Set(add) });
  return orReason(async () => {
    await changeFormReaders(client, await openToWrite(client, formId), formId, { add, remove });
    return "done";
  });
}

/** After having been asked about its readers. `nothing`: there is nothing to bring back. */
export async function bringBackOne(world: World, device: Device, firstVersion: number, lie?: Lie): Promise<string> {
  const said = new Set<string>();
  const { client } = await clientOf(world, device, { lie, said });
  return orReason(async () => {
    const list = await client.loadList();
    const found = await findBringable(client, list, formId, firstVersion);
    if (found === undefined) return "nothing";
    for (const id of found.readerIds) said.add(id);
    // Only where keys are continued with those of a revision that somebody else has made.
    for (const version of found.missing) device.keys.delete(version);
    const stored = await bringBack(client, list, found);
    return stored.kind === "read" ? "done" : `unread: ${stored.reason}`;
  });
}

/** A person says on this device that a revision is right, by somebody who writes no longer, which is the first that it is shown. */
export async function sayIsRight(world: World, device: Device, head: EnvelopeHead): Promise<void> {
  const { client, readList } = await clientOf(world, device);
  await openForm(client, { formId, loadList: readList, lookedAt: head.hash });
  const { isDishonest = false } = world.service.envelopes.get(head.firstVersion)?.[head.revision - 1] ?? {};
  if (isDishonest) device.isTrusting = true;
}

/** Puts aside what the device has seen of the form, after having been asked. */
export async function putAside(world: World, device: Device): Promise<void> {
  const { client } = await clientOf(world, device);
  await client.heads.forgetEnvelopes(formId);
  forget(device);
}

/** A person says on this device that the log was given up. */
export async function giveUpLogHere(world: World, device: Device): Promise<void> {
  const { client } = await clientOf(world, device);
  await client.heads.forgetKeyLog(formId);
}

export async function changeLog(
  world: World,
  device: Device,
  how: "begin" | "renew" | "give up",
  act: Act = {},
): Promise<string> {
  const { client, readList } = await clientOf(world, device, act);
  const writing = { client, findKnownList: readList };
  return orReason(async () => {
    if (how === "renew") await renewKeyLog(writing, formId, []);
    if (how === "begin") {
      const head = await beginKeyLog(writing, formId, []);
      await nameKeyLogHead(client, await openToWrite(client, formId), formId, head);
    }
    if (how === "give up") await giveUpKeyLog(client, formId, { client, open: () => openIfWhole() });
    return "done";
  });

  async function openIfWhole() {
    const opened = await openForm(client, { formId, loadList: () => client.loadList() });
    return opened.kind === "opened" ? opened : undefined;
  }
}

async function orReason(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof EnvelopeProblemError) return error.problem;
    if (error instanceof RefusalError) return error.reason;
    if (error instanceof KeyLogProblemError) return `key log: ${error.reason}`;
    if (error instanceof FarVersionError) return "far_version";
    if (error instanceof ApiError) return `${error.status}`;
    throw error;
  }
}

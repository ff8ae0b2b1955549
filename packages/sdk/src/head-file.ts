import { randomUUID } from "node:crypto";
import { link, open, readFile, rename, rm, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { HeadStore, ListStore } from "@sealpost/envelope";
import { describeOwner, isGone } from "./lock-owner.ts";

/** Above that it is no file of heads. */
const bytesMax = 16 * 1024 * 1024;
const pauseMilliseconds = 20;
/** A lock is held for the time of one write. One that is older was left by a program that was killed, on whichever machine. */
const lockMillisecondsMax = 30_000;
/** Who has just made one writes its name into it at once. */
const namelessMillisecondsMax = 1_000;

/** The file is there, and is not what remembers heads, or would become too large for one. */
export class HeadFileError extends Error {
  override readonly name = "HeadFileError";
}

type Heads = Readonly<Record<string, unknown>>;

/** A store that says what it keeps. */
export interface HeadFile extends HeadStore {
  /** The names that have a value. */
  names(): Promise<readonly string[]>;
}

/**
 * Heads in a file that this user alone can read (mode 0600). It is replaced in one step, so that a crash leaves the old one or the new one, and
 * several programs may use it at once: each change is made under a lock, `PATH.lock`. A file that is damaged is never taken for an empty one: that would
 * let a server show an old list again.
 */
export function createHeadFile(path: string): HeadFile {
  return {
    isLasting: true,
    names: async () => Object.keys(await read(path)),
    find: async (name) => (await read(path))[name],
    change: (name, change) =>
      withFileLock(path, async (isOurs) => {
        const heads = await read(path);
        const after = change(heads[name]);
        if (after === undefined) return;
        const { [name]: _, ...others } = heads;
        await write(path, after === null ? others : { ...others, [name]: after }, isOurs);
      }),
    lists: createListFiles(path),
  };
}

/**
 * Whole lists, each in a file next to that of the heads, `PATH.KEY_acc_….list`. It is replaced in one step, and needs no lock: of two programs that write at once
 * one is last, and what it wrote is compared with the head before it is used.
 */
function createListFiles(path: string): ListStore {
  const pathOf = (organizationId: string) => {
    if (!/^[\w-]{1,128}$/.test(organizationId)) throw new TypeError("Not the id of an organization");
    return `${path}.${organizationId}.list`;
  };
  return {
    find: async (organizationId) => readFile(pathOf(organizationId), "utf8").catch(() => undefined),
    keep: async (organizationId, text) => {
      const file = pathOf(organizationId);
      if (text === undefined) await rm(file, { force: true });
      else await replaceFile(file, text, async () => {});
    },
  };
}

async function read(path: string): Promise<Heads> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return {};
  const { sealpost, version, heads } = parse(text);
  if (text.length > bytesMax || sealpost !== "heads" || version !== 1 || typeof heads !== "object" || heads === null)
    throw new HeadFileError(
      `${path} is damaged, or not what remembers lists and envelopes. Restore it. Or remove it, and give the head of the list of members again`,
    );
  return heads as Heads; // its values are those that were written
}

function parse(text: string): Partial<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch {
    return {};
  }
}

async function write(path: string, heads: Heads, isOurs: () => Promise<boolean>): Promise<void> {
  const text = `${JSON.stringify({ sealpost: "heads", version: 1, heads }, null, 2)}\n`;
  if (text.length > bytesMax)
    throw new HeadFileError(
      `${path} would be larger than ${bytesMax} bytes, and stays as it was. Finish what was begun with it, or use another file for other forms`,
    );
  await replaceFile(path, text, async () => {
    if (!(await isOurs())) throw new Error(`Another program has taken ${path}.lock over: try again`);
  });
}

/** In one step, unless `require` rejects once the text is on the disk. */
async function replaceFile(path: string, text: string, require: () => Promise<void>): Promise<void> {
  const temporary = `${path}.${randomUUID()}.new`;
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await require();
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/**
 * Runs `work` while nobody else holds the lock of a file, `PATH.lock`. `isOurs`: nobody has taken it over, which happens to a program that was halted for
 * long.
 */
export async function withFileLock(
  path: string,
  work: (isOurs: () => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const lock = `${path}.lock`;
  const token = `${randomUUID()} ${await describeOwner()}`;
  while (!(await take(lock, token))) {
    await removeOld(lock);
    await sleep(pauseMilliseconds);
  }
  const isOurs = async () => (await readFile(lock, "utf8").catch(() => "")) === token;
  try {
    await work(isOurs);
  } finally {
    if (await isOurs()) await rm(lock, { force: true });
  }
}

async function take(lock: string, token: string): Promise<boolean> {
  try {
    const file = await open(lock, "wx", 0o600);
    try {
      await file.writeFile(token);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Removes the lock of a program that has ended, or that is too old. By the clock of the disk alone, which may be another machine's: the lock's time is
 * compared with that of a file made now.
 */
async function removeOld(lock: string): Promise<void> {
  const seen = await readFile(lock, "utf8").catch(() => undefined);
  const before = await findTime(lock);
  const probe = `${lock}.${randomUUID()}`;
  try {
    await (await open(probe, "wx", 0o600)).close();
    const now = await findTime(probe);
    if (seen === undefined || before === undefined || now === undefined) return;
    const isOld = now - before >= (seen === "" ? namelessMillisecondsMax : lockMillisecondsMax);
    if (!isOld && !(await isGone(seen.slice(seen.indexOf(" ") + 1)))) return;
    await rename(lock, probe);
    // Somebody else was faster, and has a lock already: they get it back.
    if ((await readFile(probe, "utf8")) !== seen) await link(probe, lock);
  } catch (error) {
    // Likewise.
    if (!(error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "EEXIST")))
      throw error;
  } finally {
    await rm(probe, { force: true });
  }
}

async function findTime(path: string): Promise<number | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.mtimeMs;
}

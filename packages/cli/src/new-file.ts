import { access, link, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { CommandError } from "./exit-code.ts";
import { flushFolder } from "./flush-folder.ts";

/** A file that gets its name when it is whole, so that nobody takes a part of it, or nothing, for an export. */
export interface NewFile {
  readonly stream: Writable;
  complete(): Promise<void>;
  /** Leaves what was written under the name of a part, or nothing. */
  interrupt(keepsPart: boolean): Promise<void>;
}

/** Where a file is until it is whole. */
export function partOf(path: string): string {
  return `${path}.part`;
}

/** Mode 0600. Throws a `CommandError`, which calls it `name`, where it or a part of it is there already: neither is overwritten. */
export async function createNewFile(path: string, name: string): Promise<NewFile> {
  const refuse = (which: string) => new CommandError("usage", `${which} already exists and is never overwritten`);
  if (await exists(path)) throw refuse(name);
  const part = partOf(path);
  const file = await open(part, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? refuse(partOf(name)) : new CommandError("usage", error.message);
  });
  // On the disk before it has its name, so that a power cut leaves none that is cut off.
  const stream = file.createWriteStream({ flush: true });
  const end = async () => {
    stream.end();
    await finished(stream);
  };
  return {
    stream,
    async complete() {
      await end();
      // Unlike a rename, a link replaces no file that came meanwhile. Some USB sticks know no links.
      const isLinked = await link(part, path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === "EEXIST") throw refuse(name);
          return false;
        },
      );
      await (isLinked ? rm(part) : rename(part, path));
      await flushFolder(dirname(path));
    },
    async interrupt(keepsPart) {
      await end().catch(() => undefined);
      if (!keepsPart) await rm(part, { force: true });
    },
  };
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

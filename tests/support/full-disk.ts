import { spawnSync } from "node:child_process";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceProcess } from "./service-process.ts";

/** A way to take a running service the room for its database, and to give it back. */
export interface FullDisk {
  readonly name: string;
  /** Why this machine cannot do it. */
  readonly skip: string | false;
  /** The command that starts the service (`ServiceProcessOptions`). */
  wrapper(dataFolder: string): readonly string[];
  /** Leaves room for about this many more bytes. */
  fill(service: ServiceProcess, dataFolder: string, bytesLeft: number): void;
  free(service: ServiceProcess, dataFolder: string): void;
}

const log = "sealpost.sqlite-wal";

/**
 * A file may grow to a size and no further: EFBIG, "disk I/O error" to SQLite. The system does that for every process,
 * without any rights, to root as well. Node ignores the signal that would end the process.
 */
const fileSizeLimit: FullDisk = {
  name: "a file that may not grow",
  skip: !isDone("prlimit", ["--version"]) && "needs prlimit, of Linux",
  wrapper: () => [],
  fill({ child }, dataFolder, bytesLeft) {
    limit(child.pid, `${statSync(join(dataFolder, log)).size + bytesLeft}:`);
  },
  free: ({ child }) => limit(child.pid, "unlimited:"),
};

function limit(process: number | undefined, softLimit: string): void {
  if (!isDone("prlimit", ["--pid", String(process), `--fsize=${softLimit}`])) throw new Error("prlimit failed");
}

/** A file system of its own, in memory, that is really full: ENOSPC, "database or disk is full" to SQLite. */
const smallFileSystem: FullDisk = {
  name: "a full file system",
  skip:
    !isDone("unshare", ["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]) &&
    "needs a Linux that lets this user make a file system",
  wrapper: (dataFolder) => [
    ...["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=24m,mode=700 none "$0" && exec "$@"'],
    dataFolder,
  ],
  fill(service, dataFolder, bytesLeft) {
    const folder = seenBy(service, dataFolder);
    const ballast = join(folder, "ballast");
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(65_536), { flag: "a" });
    } catch {
      // It is full.
    }
    writeFileSync(ballast, Buffer.alloc(Math.max(0, statSync(ballast).size - bytesLeft)));
  },
  free: (service, dataFolder) => rmSync(join(seenBy(service, dataFolder), "ballast")),
};

/** The path of a folder in the file systems of another process. */
function seenBy({ child }: ServiceProcess, folder: string): string {
  return `/proc/${child.pid}/root${folder}`;
}

function isDone(command: string, parameters: readonly string[]): boolean {
  return spawnSync(command, parameters, { stdio: "ignore" }).status === 0;
}

/** The first is the one that most machines can do. */
export const fullDisks: readonly FullDisk[] = [fileSizeLimit, smallFileSystem];

import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";

/** This process, in words that another one on the machine can look up: `MACHINE PID START`. */
export async function describeOwner(): Promise<string> {
  return `${await findMachine()} ${process.pid} ${await findStart(process.pid)}`;
}

/**
 * Whether the process of `describeOwner` has ended. `false` also where nobody can know that from here: it is on another machine or in another container,
 * or these are not such words.
 */
export async function isGone(owner: string): Promise<boolean> {
  const [machine, id, start] = owner.split(" ");
  const pid = Number(id);
  if (start === undefined || machine !== (await findMachine()) || !Number.isSafeInteger(pid) || pid < 1) return false;
  // Another process may have its number by now.
  return !isAlive(pid) || (await findStart(pid)) !== start;
}

/** Numbers of processes mean something within one start of one machine and, on Linux, one namespace of theirs. */
async function findMachine(): Promise<string> {
  const [boot, namespace] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
  ]);
  return encodeURIComponent([hostname(), boot.trim(), namespace].join("/"));
}

/** When a process began, by the kernel's count; nothing outside of Linux. */
async function findStart(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The second field is the program's name in brackets, and may hold anything. `starttime` is the twenty-second (proc_pid_stat(5)).
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "-";
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ESRCH");
  }
}

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The processor time of a test file, with the processes that it started, but for the PostgreSQL server of them all. */
export interface FileTime {
  readonly name: string;
  readonly seconds: number;
}

/** How many files the table of the slowest has. */
const rowsMax = 15;
/** Linux counts in hundredths of a second whatever the kernel's own clock is. */
const ticksPerSecond = 100;
const suffix = ".times.json";

/** Seconds of the processor that this process and those that it started have used, ended ones too; elsewhere than on Linux its own alone. */
export function readProcessorSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  try {
    return own + (readTicks("self", 15) + sum(listChildren(process.pid).map(readTreeTicks))) / ticksPerSecond;
  } catch {
    return own;
  }
}

/** Leaves the times of a group's files next to the group. */
export function writeTimes(group: string, times: readonly FileTime[]): void {
  writeFileSync(`${group}${suffix}`, JSON.stringify(times));
}

/** Lines of a table of what the groups in `folder` left: the files with the most processor time, and how much all took. */
export function printSlowest(folder: string): string {
  const times = readdirSync(folder)
    .filter((name) => name.endsWith(suffix))
    .flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as FileTime[]); // written above
  const rows = times.toSorted((one, other) => other.seconds - one.seconds).slice(0, rowsMax);
  const all = Math.round(sum(times.map(({ seconds }) => seconds)));
  return [
    `Most processor time, in seconds, of ${all} s in ${times.length} files:`,
    ...rows.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)}  ${name}`),
  ].join("\n");
}

/** The ticks of a process and of those below it; one that ends meanwhile is counted in its parent, or not at all. */
function readTreeTicks(pid: number): number {
  try {
    return readTicks(pid, 13) + sum(listChildren(pid).map(readTreeTicks));
  } catch {
    return 0;
  }
}

/** `utime`, `stime`, `cutime` and `cstime` of proc(5), from the `first` of these fields (counted from 0) on. */
function readTicks(pid: number | "self", first: 13 | 15): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // After the name, which may have blanks and brackets in it, comes the field with number 2.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return sum(fields.slice(first - 2, 17 - 2).map(Number));
}

/** A thread is the parent of what it started. */
function listChildren(pid: number): readonly number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

import { readFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";

/** One line on where the figures come from. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() ?? "unknown processor";
  return `${cpus().length} × ${model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}, ${process.platform} ${process.arch}`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [left, right] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return left === undefined || right === undefined ? Number.NaN : (left + right) / 2;
}

/** Microseconds of processor time that a process has used on all its threads; `NaN` where Linux's `/proc` is not there. */
export function readCpu(pid: number): number {
  // After the name, which may hold anything, the 12th and 13th are user and system time in hundredths of a second (proc(5)).
  const values = readProcess(pid, "stat")?.split(") ").at(-1)?.split(" ");
  return (Number(values?.[11]) + Number(values?.[12])) * 10_000;
}

/** Bytes of memory that a process has in use; `NaN` where Linux's `/proc` is not there. */
export function readResidentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readProcess(pid, "status") ?? "")?.[1]) * 1024;
}

function readProcess(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

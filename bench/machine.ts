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

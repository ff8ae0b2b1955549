import type { Progress } from "./backup-commands.ts";

/** At a terminal one line for each table, that counts up; else only what is complete. */
export function showProgress({ step, table, rows, total }: Progress): void {
  const isTerminal = process.stderr.isTTY === true;
  const isComplete = rows >= total;
  const line = `${step} ${table}: ${rows} of ${total}`;
  if (isTerminal) process.stderr.write(`\r${line.padEnd(60)}${isComplete ? "\n" : ""}`);
  else if (isComplete) process.stderr.write(`${line}\n`);
}

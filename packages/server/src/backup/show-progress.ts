import type { WriteStream } from "node:tty";
import type { Progress } from "./backup-commands.ts";

/** At a terminal one line for each table, that counts up; else only what is complete. */
export function createShowProgress(stream: Pick<WriteStream, "isTTY" | "write">): (progress: Progress) => void {
  return ({ step, table, rows, total }) => {
    const isComplete = rows >= total;
    const line = `${step} ${table}: ${rows} of ${total}`;
    if (stream.isTTY === true) stream.write(`\r${line.padEnd(60)}${isComplete ? "\n" : ""}`);
    else if (isComplete) stream.write(`${line}\n`);
  };
}

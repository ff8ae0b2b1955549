import type { WriteStream } from "node:tty";
import { printable } from "@sealpost/wire";
import type { Progress } from "./backup-commands.ts";

/**
 * At a terminal one line for each table, that counts up. Elsewhere only what is complete; nothing with `isQuiet`, for what a timer runs each
 * night, whose mail or log needs no more than the last line.
 */
export function createShowProgress(
  stream: Pick<WriteStream, "isTTY" | "write">,
  { isQuiet = false } = {},
): (progress: Progress) => void {
  return ({ step, table, rows, total }) => {
    const isComplete = rows >= total;
    const line = printable(`${step} ${table}: ${rows} of ${total}`);
    if (stream.isTTY === true) stream.write(`\r${line.padEnd(60)}${isComplete ? "\n" : ""}`);
    else if (isComplete && !isQuiet) stream.write(`${line}\n`);
  };
}

import type { WriteStream } from "node:tty";
import { printable } from "@sealpost/wire";
import type { Progress } from "./backup-commands.ts";

/** One line for each table, that counts up, at a terminal alone: in the mail of a timer or a log it says nothing that its last line does not. */
export function createShowProgress(stream: Pick<WriteStream, "isTTY" | "write">): (progress: Progress) => void {
  return ({ step, table, rows, total }) => {
    if (stream.isTTY !== true) return;
    const line = printable(`${step} ${table}: ${rows} of ${total}`);
    stream.write(`\r${line.padEnd(60)}${rows >= total ? "\n" : ""}`);
  };
}

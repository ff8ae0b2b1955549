import { createInterface } from "node:readline/promises";
import type { ReadStream } from "node:tty";

/** Asks a question at the terminal; without one the answer is no. */
export async function confirm(
  input: NodeJS.ReadableStream & Partial<Pick<ReadStream, "isTTY">>,
  output: NodeJS.WritableStream,
  question: string,
): Promise<boolean> {
  if (input.isTTY !== true) return false;
  const lines = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

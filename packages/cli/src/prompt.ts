import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";

/** Asks the person at the terminal; `hidden` shows nothing of what is typed. */
export async function ask({ input, errors, signal }: Context, question: string, hidden = false): Promise<string> {
  if (!input.isTTY) throw new CommandError("usage", `${question}: there is no terminal to ask at (see --help)`);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const asking = createInterface({ input, output: hidden ? nowhere : errors, terminal: true });
  // In raw mode Ctrl-C is a key like any other, and Ctrl-D closes without an answer.
  const stop = new AbortController();
  for (const end of ["SIGINT", "close"]) asking.on(end, () => stop.abort());
  // Asked only now that the terminal echoes no more. Where nothing is shown, readline cannot show the question either.
  if (hidden) errors.write(`${question}: `);
  try {
    return await asking.question(`${question}: `, { signal: AbortSignal.any([signal, stop.signal]) });
  } catch (error) {
    if (stop.signal.aborted || signal.aborted) throw new CommandError("interrupted", "Interrupted");
    throw error;
  } finally {
    asking.close();
    if (hidden) errors.write("\n");
  }
}

/** Has the person type `expected` before something is done. Without a terminal the command wants --yes. Throws `refusal` otherwise. */
export async function confirm(context: Context, what: string, refusal: string, expected = "yes"): Promise<void> {
  if (!context.input.isTTY) throw new CommandError("usage", `Add --yes to ${what} without being asked`);
  const typed = await ask(context, `Type ${expected} to ${what}`);
  if (typed.trim() !== expected) throw new CommandError("usage", refusal);
}

/** The first line of what is piped in: a secret that shows up neither in the process list nor in the shell's history. */
export async function readSecretLine(context: Context): Promise<string> {
  return (await readSecretLines(context))[0];
}

/** The piped input, line by line; the first is not empty. */
export async function readSecretLines({ input, errors }: Context): Promise<readonly [string, ...(readonly string[])]> {
  if (input.isTTY) errors.write("Waiting for it on standard input (end with Ctrl-D)\n");
  const [first = "", ...rest] = (await text(input)).split(/\r?\n/);
  if (first === "") throw new CommandError("usage", "There was nothing on standard input");
  return [first, ...rest];
}

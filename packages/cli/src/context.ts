import type { Readable, Writable } from "node:stream";
import { printableLines } from "./printable.ts";

/** The program's access to the outside; `main.ts` alone takes it from the process. */
export interface Context {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where files without a folder of their own are written. */
  readonly folder: string;
  readonly input: Readable & { readonly isTTY?: boolean };
  /** Results, and nothing else. */
  readonly output: Writable & { readonly isTTY?: boolean };
  /** Everything said to the person: prompts, progress, warnings, errors. */
  readonly errors: Writable & { readonly isTTY?: boolean };
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Notes which instance a command asks, so that `run` can ask it for its version when an answer is not as expected. */
  readonly asked?: { baseUrl?: string };
  /** Ends requests when the person presses Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Says something to the person. Part of it may come from the server, so nothing of it moves the cursor or hides text. */
export function say({ errors }: Context, message: string): void {
  errors.write(`${printableLines(message)}\n`);
}

import assert from "node:assert/strict";
import { join } from "node:path";
import { PassThrough, Readable, Writable } from "node:stream";
import type { TestContext } from "node:test";
import { findLeaked } from "../../../../tests/support/file-secrets.ts";
import { createTemporaryFolder } from "../../../server/src/testing/temporary-folder.ts";
import { run } from "../run.ts";

export interface Run {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export interface RunOptions {
  readonly input?: string;
  /** Standard input is a terminal, at which somebody types this once they are asked. */
  readonly typed?: string;
  readonly environment?: Record<string, string>;
  /** Standard output is a terminal. */
  readonly isTerminal?: boolean;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
  /** Called while a piece is being written to standard output. */
  readonly onOutput?: () => void;
}

export interface CommandLine {
  /** Where it runs and writes files to. */
  readonly folder: string;
  /** Runs `sealpost` with these arguments, with `input` on its standard input. */
  run(parameters: readonly string[], options?: RunOptions): Promise<Run>;
}

/**
 * The whole command line but for its `main.ts`, in a folder of its own, with nothing of the person who runs the tests. No run may print or remember anything
 * of the keys in this folder; nor may what is in `takeLogged`, the service's log since the run before.
 */
export function createCommandLine(
  t: Pick<TestContext, "after">,
  takeLogged: () => readonly string[] = () => [],
): CommandLine {
  const folder = createTemporaryFolder(t);
  return {
    folder,
    async run(parameters, options = {}) {
      const { input = "", typed, environment = {}, isTerminal = false } = options;
      const terminal = Object.assign(new PassThrough(), { isTTY: true });
      const errors = createCollector(undefined, (text) => {
        // As at a terminal, never in the same turn.
        if (typed !== undefined && /: $/.test(text)) setImmediate(() => terminal.write(typed));
      });
      const output = createCollector(options.onOutput);
      const context = {
        environment: { XDG_CONFIG_HOME: join(folder, "config"), ...environment },
        folder,
        input: typed === undefined ? Readable.from([Buffer.from(input)]) : terminal,
        output: Object.assign(output.stream, { isTTY: isTerminal }),
        errors: errors.stream,
        now: options.now ?? Date.now,
        signal: options.signal ?? new AbortController().signal,
      };
      const code = await run(context, parameters, "0.0.0-test");
      const done = { code, output: output.text(), errors: errors.text() };
      assert.deepEqual(findLeaked(folder, [done.output, done.errors, ...takeLogged()]), [], parameters.join(" "));
      return done;
    },
  };
}

function createCollector(onOutput?: () => void, onText?: (text: string) => void) {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      onText?.(String(chunk));
      if (onOutput === undefined) return done();
      onOutput();
      // As with a file or a pipe, it is known to be written only after the turn in which it was given.
      setImmediate(done);
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

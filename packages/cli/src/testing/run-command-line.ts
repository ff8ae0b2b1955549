import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import type { TestContext } from "node:test";
import { createTemporaryFolder } from "../../../server/src/testing/temporary-folder.ts";
import { run } from "../run.ts";

export interface Run {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly environment?: Record<string, string>;
  /** Standard output is a terminal. */
  readonly isTerminal?: boolean;
}

export interface CommandLine {
  /** Where it runs and writes files to. */
  readonly folder: string;
  /** Runs `sealpost` with these arguments, with `input` on its standard input. */
  run(parameters: readonly string[], options?: RunOptions): Promise<Run>;
}

/** The whole command line but for its `main.ts`, in a folder of its own, with nothing of the person who runs the tests. */
export function createCommandLine(t: Pick<TestContext, "after">): CommandLine {
  const folder = createTemporaryFolder(t);
  return {
    folder,
    async run(parameters, { input = "", environment = {}, isTerminal = false } = {}) {
      const [output, errors] = [createCollector(), createCollector()];
      const context = {
        environment: { XDG_CONFIG_HOME: join(folder, "config"), ...environment },
        folder,
        input: Readable.from([Buffer.from(input)]),
        output: Object.assign(output.stream, { isTTY: isTerminal }),
        errors: errors.stream,
        now: Date.now,
        signal: new AbortController().signal,
      };
      const code = await run(context, parameters, "0.0.0-test");
      return { code, output: output.text(), errors: errors.text() };
    },
  };
}

function createCollector() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(Buffer.from(chunk));
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

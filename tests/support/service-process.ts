import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serverProgram } from "../../packages/server/src/testing/server-program.ts";

const root = join(import.meta.dirname, "..", "..");

export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly url: string;
  /** The printed set-up address; `undefined` when there is an account. */
  readonly setupToken: string | undefined;
  /** All that it has written to standard output and standard error. */
  output(): string;
  /** SIGKILL, and waits until the process is gone. */
  kill(): Promise<void>;
}

export interface ServiceProcessOptions {
  /** The folder of the version that serves; this one when omitted. */
  readonly folder?: string;
  /** A program with its arguments that becomes the service, in surroundings that it makes: `["unshare", "-rm"]`. */
  readonly wrapper?: readonly string[];
  /** The built service (`npm run build`) always, instead of `serverProgram`. */
  readonly isBuilt?: boolean;
  /** The program of an installed package instead of either. */
  readonly installed?: string;
}

/** `sealpost-server serve` as a process of its own; resolves when it says that it is ready, rejects when it ends before. */
export async function startServiceProcess(
  environment: Readonly<Record<string, string>>,
  parameters: readonly string[] = [],
  { wrapper = [], ...version }: ServiceProcessOptions = {},
): Promise<ServiceProcess> {
  // Settings of the test run, or of the developer's own service, do not apply to this one.
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEALPOST_")));
  const program = chooseProgram(version);
  const [command = "", ...rest] = [...wrapper, process.execPath, ...program, "serve", ...parameters];
  const child = spawn(command, rest, {
    env: { ...inherited, SEALPOST_LOG_LEVEL: "error", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => output.push(chunk.toString()));
  const gone = once(child, "exit");
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      output.push(line);
      const url = /ready at (\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
    gone.then(
      ([code]) => reject(new Error(`The service ended with ${code} before it was ready:\n${output.join("\n")}`)),
      reject,
    );
  });
  return {
    child,
    url: await ready,
    setupToken: /\/setup\?token=(\S+)/.exec(output.join("\n"))?.[1],
    output: () => output.join("\n"),
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
  };
}

function chooseProgram({ folder, isBuilt = false, installed }: ServiceProcessOptions): readonly string[] {
  if (installed !== undefined) return [installed];
  if (isBuilt) return [join(folder ?? root, "packages/server/dist/service/sealpost-server.js")];
  if (folder === undefined) return serverProgram;
  return ["--conditions=@sealpost/source", join(folder, "packages/server/src/main.ts")];
}

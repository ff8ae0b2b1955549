import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";

export interface Running {
  readonly child: ChildProcess;
  /** All that it has written so far. */
  output(): string;
  stop(): Promise<number | null>;
}

/** Starts a program and waits until it has written a line that matches. */
export async function start(
  command: readonly string[],
  options: { readonly cwd?: string; readonly environment?: Readonly<Record<string, string>>; readonly ready: RegExp },
): Promise<Running> {
  const [program = "", ...parameters] = command;
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEALPOST_")));
  const child = spawn(program, parameters, {
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { ...inherited, ...options.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const lines: string[] = [];
  const exited = once(child, "exit");
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on("line", (line) => {
        lines.push(line);
        if (options.ready.test(line)) resolve();
      });
    exited.then(() => reject(new Error(`${program} ended:\n${lines.join("\n")}`)), reject);
  });
  return {
    child,
    output: () => lines.join("\n"),
    async stop() {
      child.kill("SIGTERM");
      const [code] = await exited;
      return code as number | null; // of the event `exit`
    },
  };
}

/** Runs a program to its end. */
export async function run(
  command: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<string> {
  const [program = "", ...parameters] = command;
  const child = spawn(program, parameters, {
    cwd,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
  const [code] = await once(child, "close");
  assert.equal(code, 0, `${command.join(" ")}\n${output}`);
  return output;
}

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

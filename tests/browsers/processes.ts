import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

/** The first of `names` that is on the PATH, or, if it is a path, that exists. */
export function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return names
    .flatMap((name) => (name.includes("/") ? [name] : folders.map((folder) => join(folder, name))))
    .find(existsSync);
}

export function outputOf(program: string, parameters: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, parameters, { encoding: "utf8", timeout: 30_000 });
  return `${stdout}${stderr}`;
}

export interface Running {
  readonly child: ChildProcess;
  /** Resolves with the first line of standard error, or of the further stream 3, that `pattern` matches. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  stop(): Promise<void>;
}

export function run(program: string, parameters: readonly string[], environment: NodeJS.ProcessEnv = {}): Running {
  const child = spawn(program, parameters, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe", "pipe"],
  });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));
  let output = "";
  const readers = new Set<() => void>();
  for (const stream of [child.stdio[2], child.stdio[3]])
    stream?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
      for (const read of readers) read();
    });
  return {
    child,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const read = () => {
          const found = pattern.exec(output);
          if (found) resolve(found);
        };
        readers.add(read);
        read();
        gone.then(() => reject(new Error(`${program} ended:\n${output}`)), reject);
      }),
    async stop() {
      child.kill();
      // A browser that does not end by itself is ended: nothing of it is kept.
      const force = setTimeout(() => child.kill("SIGKILL"), 5_000);
      await gone;
      clearTimeout(force);
    },
  };
}

export async function createFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "sealpost-browser-"));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** A port that is free now; for programs that cannot pick one themselves and say which. */
export async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("No port is free");
  return address.port;
}

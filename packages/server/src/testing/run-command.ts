import { spawn } from "node:child_process";
import { once } from "node:events";
import { serverProgram } from "./server-program.ts";

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `sealpost-server` as a process of its own, with nothing of this one's settings, and `input` on its standard input. */
export async function runCommand(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
  { input = "" }: { readonly input?: string } = {},
): Promise<CommandRun> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEALPOST_")));
  const child = spawn(process.execPath, [...serverProgram, ...parameters], {
    env: { ...inherited, ...environment },
    stdio: "pipe",
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  // A command that ends without reading closes the pipe first.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

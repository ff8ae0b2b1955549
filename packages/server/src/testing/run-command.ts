import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** `sealpost-server` as a process of its own, with nothing of this one's settings. */
export async function runCommand(
  parameters: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<CommandRun> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEALPOST_")));
  const child = spawn(
    process.execPath,
    ["--conditions=@sealpost/source", join(import.meta.dirname, "../main.ts"), ...parameters],
    { env: { ...inherited, ...environment }, stdio: ["ignore", "pipe", "pipe"] },
  );
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

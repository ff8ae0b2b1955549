import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { exitCodes } from "./exit-code.ts";
import { run } from "./run.ts";

// Submissions are opened in Node's thread pool, which has four threads however many processors there are. Read at its first use.
process.env.UV_THREADPOOL_SIZE ??= String(Math.max(4, availableParallelism()));

// Each of them first lets a command clean up after itself, as Ctrl-C does; a second one ends the process at once.
const interruption = new AbortController();
let ending: keyof typeof exitCodes = "interrupted";
for (const [signal, exit] of [
  ["SIGINT", "interrupted"],
  ["SIGTERM", "terminated"],
  ["SIGHUP", "hungUp"],
] as const)
  process.once(signal, () => {
    ending = exit;
    interruption.abort();
  });
// Without a listener a reader that leaves early (`| head`), or a full disk, would end the process with a stack trace. Where nobody
// reads what is said to the person, there is nobody left to say it to.
process.stderr.on("error", () => undefined);
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") return;
  process.stderr.write(`sealpost: The output can't be written: ${error.message}\n`);
  process.exit(exitCodes.failure[0]);
});

// Node calls hybrid keys an experiment at their first use, which tells the owner of one nothing: the format's test vectors hold
// Node to its specification (packages/wire). Every other warning is printed.
const { emitWarning } = process;
process.emitWarning = (...parameters: unknown[]) => {
  const isOfHybridKeys = parameters[1] === "ExperimentalWarning" && /Web Crypto API/.test(String(parameters[0]));
  if (!isOfHybridKeys) Reflect.apply(emitWarning, process, parameters);
};

const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
const context = {
  environment: process.env,
  folder: process.cwd(),
  input: process.stdin,
  output: process.stdout,
  errors: process.stderr,
  now: Date.now,
  signal: interruption.signal,
};
const code = await run(context, process.argv.slice(2), version);
process.exitCode = code === exitCodes.interrupted[0] ? exitCodes[ending][0] : code;

import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { AuditHead } from "@sealpost/wire";
import { type Command, InvalidArgumentError } from "commander";
import { connectWithSession } from "../connection.ts";
import type { Context } from "../context.ts";
import { counted } from "../counted.ts";
import { CommandError } from "../exit-code.ts";
import { parseInstanceUrl } from "../instance-url.ts";
import { createNewFile } from "../new-file.ts";
import { parseCount } from "../option-values.ts";
import { printableLines } from "../printable.ts";
import { replaceFile } from "../replace-file.ts";
import { formatJson, formatTime } from "../table.ts";
import { writePieces } from "../write-pieces.ts";
import { checkAuditLog, type LogVerdict } from "./check-audit-log.ts";
import { isHash } from "./log-lines.ts";

interface VerifyLogOptions {
  readonly head?: readonly AuditHead[];
  readonly atLeast?: number;
  readonly keptDays?: number;
  readonly remember?: string;
  readonly output?: string;
  readonly json?: boolean;
}

export function addVerifyLogCommand(program: Command, context: Context): void {
  program
    .command("verify-log")
    .summary("check that nothing in an exported audit log was changed, removed or reordered")
    .description(
      "Checks the chain of an exported audit log: finds entries that were changed, removed, duplicated or moved. Entries removed " +
        "from the end, and a log that was rewritten as a whole, are only found by comparing with a head noted earlier: give it with " +
        "--head, or let --remember keep it. Ends with 0 if all is as it should be, with 9 if something differs, with 6 if something could not be checked or fetched, and with 2 if the " +
        "command line is wrong.",
    )
    .argument(
      "<place>",
      "file of an export, - for standard input, or the address of the instance that you are signed in to",
    )
    .option("--head <number:hash>", "head noted earlier, as this command prints it; repeatable", collectHead)
    .option("--at-least <number>", "the lowest number that the last entry can have", parseCount)
    .option("--kept-days <days>", "the age that removed entries must have had, at least", parseCount)
    .option("--remember <file>", "compare with the head in this file, and put the new one there if all is well")
    .option("--output <file>", "also write the export to a new file; for an address")
    .option("--json", "print the outcome as JSON")
    .addHelpText(
      "after",
      `
An address needs a session of an owner or an auditor (\`sealpost login\`).

Examples:
  $ sealpost verify-log audit-log.ndjson
  $ sealpost verify-log https://forms.example.org --remember ~/sealpost-audit-head.json`,
    )
    .action((place: string, options: VerifyLogOptions) => verifyLog(context, place, options));
}

interface Remembered extends AuditHead {
  readonly organization: string;
}

async function verifyLog(context: Context, place: string, options: VerifyLogOptions): Promise<void> {
  const { head: heads = [], atLeast, keptDays, remember } = options;
  const remembered = remember === undefined ? undefined : await readRemembered(resolve(context.folder, remember));
  const lines = await openLines(context, place, options.output);
  const verdict = await checkAuditLog(lines, {
    ...{
      atLeast,
      keptDays,
      isWhole: isAddress(place),
      heads: remembered === undefined ? heads : [...heads, remembered],
    },
  });
  if (
    remembered !== undefined &&
    verdict.organization !== undefined &&
    verdict.organization !== remembered.organization
  )
    throw new CommandError(
      "usage",
      `${remember} has the head of another organization: ${remembered.organization}, not ${verdict.organization}`,
    );
  const { organization, head, findingCount } = verdict;
  if (remember !== undefined && findingCount === 0 && head !== undefined && organization !== undefined)
    await rememberHead(resolve(context.folder, remember), { organization, ...head });
  report(context, place, verdict, options.json ?? false);
}

/** The lines of an export, parsed; `undefined` for one that is no JSON. */
async function openLines(context: Context, place: string, output: string | undefined): Promise<AsyncIterable<unknown>> {
  if (isAddress(place)) return fetchLines(context, place, output);
  if (output !== undefined) throw new CommandError("usage", "--output is for the address of an instance");
  return parseLines(place === "-" ? context.input : await openFile(context, place));
}

function isAddress(place: string): boolean {
  return /^https?:\/\//.test(place);
}

async function openFile({ folder }: Context, place: string): Promise<Readable> {
  const path = resolve(folder, place);
  const file = await open(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError("usage", error.code === "ENOENT" ? `There is no file ${place}` : error.message);
  });
  await file.close();
  return createReadStream(path);
}

async function* parseLines(stream: Readable): AsyncGenerator<unknown, void> {
  for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() !== "") yield parseLine(line);
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function fetchLines(
  context: Context,
  place: string,
  output: string | undefined,
): Promise<AsyncIterable<unknown>> {
  const instance = parseInstanceUrl(place);
  const { SEALPOST_URL: url, SEALPOST_TOKEN: token } = context.environment;
  // The address chooses the profile, and never where a token goes.
  const environment = url || token ? context.environment : { ...context.environment, SEALPOST_URL: instance };
  const { client, baseUrl } = await connectWithSession({ ...context, environment });
  if (instance !== baseUrl)
    throw new CommandError("unauthorized", `You are signed in to ${baseUrl}, not to ${instance}: \`sealpost login\``);
  const lines = client.auditLog.export({}, { signal: context.signal, retry: true });
  return output === undefined ? lines : keepLines(lines, context, output);
}

/** The lines, each written to a new file as well, which has its name when it is whole. */
async function* keepLines(
  lines: AsyncIterable<unknown>,
  { folder, signal }: Context,
  output: string,
): AsyncGenerator<unknown, void> {
  const file = await createNewFile(resolve(folder, output), output);
  let isWhole = false;
  try {
    for await (const line of lines) {
      await writePieces(file.stream, once(`${JSON.stringify(line)}\n`), signal);
      yield line;
    }
    isWhole = true;
  } finally {
    // A part of a log can't be continued.
    await (isWhole ? file.complete() : file.interrupt(false));
  }
}

async function* once(text: string): AsyncGenerator<string, void> {
  yield text;
}

function collectHead(value: string, before: readonly AuditHead[] = []): readonly AuditHead[] {
  const [sequence = "", hash = ""] = value.trim().toLowerCase().split(":");
  if (!/^\d{1,15}$/.test(sequence) || !isHash(hash))
    throw new InvalidArgumentError("It is like 412:9f86…, a number, a colon and 64 hexadecimal digits.");
  return [...before, { sequence: Number(sequence), hash }];
}

async function readRemembered(path: string): Promise<Remembered | undefined> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { organization, sequence, hash } = Object(parseLine(text)) as Partial<Record<string, unknown>>; // members of anything
  if (typeof organization !== "string" || !Number.isSafeInteger(sequence) || !isHash(hash))
    throw new CommandError("usage", `${path} has no head: remove it to begin again, if you know why`);
  return { organization, sequence: Number(sequence), hash };
}

/** Another run, which has read the log later, may have remembered a newer one since this one began: that stays, and the next run is held to it. */
async function rememberHead(path: string, head: Remembered): Promise<void> {
  const { withFileLock } = await import("@sealpost/sdk/head-file");
  await withFileLock(path, async () => {
    const remembered = await readRemembered(path);
    const isOlder = remembered?.organization === head.organization && remembered.sequence < head.sequence;
    if (remembered !== undefined && !isOlder) return;
    await replaceFile(path, `${JSON.stringify(head)}\n`);
  });
}

/** Results on standard output; what is wrong as the error that the program ends with, so that a cron job sends nothing else. */
function report({ output, now }: Context, place: string, verdict: LogVerdict, isJson: boolean): void {
  const { findings, findingCount } = verdict;
  if (isJson) {
    const head = verdict.head && { ...verdict.head, text: printHead(verdict.head) };
    output.write(`${formatJson({ place, checkedAt: formatTime(now()), ...verdict, head }, 2)}\n`);
  } else output.write(`${printableLines(describe(verdict).join("\n"))}\n`);
  if (findingCount === 0) return;
  const differs = findings.some(({ exit }) => exit === "differs");
  const lines = findings
    .slice(0, shownMax)
    .map(({ exit, message }) => `  ${exit === "differs" ? "DIFFERS" : "UNKNOWN"}  ${message}`);
  if (findingCount > lines.length) lines.push(`  and ${findingCount - lines.length} more`);
  throw new CommandError(
    differs ? "differs" : "unavailable",
    `${place} ${differs ? "is not what it should be" : "could not be checked completely"}:\n${lines.join("\n")}`,
  );
}

const shownMax = 30;

function describe({
  organization,
  entries,
  start,
  head,
  removed,
  shortened,
  times,
  findingCount,
}: LogVerdict): readonly string[] {
  if (organization === undefined || start === undefined || head === undefined) return ["not an exported audit log"];
  const period = times === undefined ? "" : `, ${formatTime(times[0])} to ${formatTime(times[1])}`;
  const isPart = start.sequence > (removed?.count ?? 0);
  return [
    `${organization}: ${counted(entries, "entry", "entries")}${period}`,
    ...(removed === undefined
      ? []
      : [`entries 1 to ${removed.count} were removed, the last of ${formatTime(removed.timestamp)}`]),
    ...(shortened === undefined
      ? []
      : [`up to entry ${shortened.sequence} by an owner, on ${formatTime(shortened.timestamp)}`]),
    ...(isPart ? [`only what follows entry ${start.sequence}`] : []),
    `head ${printHead(head)}`,
    ...(findingCount === 0 ? ["each entry follows the one before"] : []),
  ];
}

function printHead({ sequence, hash }: AuditHead): string {
  return `${sequence}:${hash}`;
}

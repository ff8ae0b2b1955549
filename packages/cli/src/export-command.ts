import { availableParallelism } from "node:os";
import { openSubmission } from "@sealpost/sdk";
import { type CsvSeparator, csvSeparators } from "@sealpost/sdk/csv";
import { type Command, Option } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { counted } from "./counted.ts";
import { findOpeningKeys, headsOption, type IdentityOptions, identityOption, listOption } from "./envelope-keys.ts";
import { CommandError } from "./exit-code.ts";
import { isClosedPipe, nameFile, sayInterrupted, writeOut } from "./export-output.ts";
import { startExport } from "./export-source.ts";
import { loadFormKeys } from "./form-keys.ts";
import { sayHybridDifferences } from "./hybrid-differences.ts";
import { mapInOrder } from "./map-in-order.ts";
import { collect, plainOption } from "./option-values.ts";
import { passphraseOption } from "./passphrase.ts";
import { createProgress } from "./progress.ts";
import { formatRows, type RowFormat, rowFormats } from "./row-formats.ts";
import { type SubmissionRow, toRow } from "./submission-row.ts";
import { formatJson } from "./table.ts";
import { addRange, type RangeOptions, rangeOf } from "./time-range.ts";

interface ExportOptions extends RangeOptions, IdentityOptions {
  readonly after?: string;
  readonly format: RowFormat | "sealed";
  readonly key?: readonly string[];
  readonly plain?: boolean;
  /** `true` where the option has no value. */
  readonly output?: string | true;
  readonly column?: readonly string[];
  readonly bom?: boolean;
  readonly separator?: CsvSeparator;
  readonly quiet?: boolean;
}

export function addExportCommand(submissions: Command, context: Context): void {
  addRange(submissions.command("export"))
    .summary("open submissions and write them as CSV, XLSX or JSON")
    .description(
      "Writes submissions, oldest first, opened with your private keys, or still sealed. Needs submissions:read; with forms:read too, " +
        "each submission is opened with exactly the key that it was sealed to.\n\n" +
        "Every row has a status: opened, or no_key, unknown_version or could_not_be_opened in place of its fields. " +
        "Such a row never stops the rest; the exit code is then 7. A row that nobody sealed says not_sealed; with --key or --identity it has " +
        "no fields, and the exit code is 8, unless --plain is given.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .option("--key <file>", "private key: a key file or a bare JWK; repeatable, one for each key version", collect)
    .option(...identityOption)
    .option(...listOption)
    .option(...headsOption)
    .option(...passphraseOption)
    .option(...plainOption)
    .addOption(new Option("--format <format>", "how to write them").choices([...rowFormats, "sealed"]).default("csv"))
    .option(
      "--output [file]",
      "write to a new file that only you can read, instead of standard output (default: sealpost-<form>-<date>.<format>)",
    )
    .option("--after <submission-id>", "continue after this submission, after an interrupted export")
    .option("--column <name>", "CSV and XLSX: only this field; repeatable; rows are then not held in memory", collect)
    .option("--bom", "CSV: begin with a byte order mark, for Excel")
    .addOption(
      new Option("--separator <mark>", "CSV: separator between cells (default: comma)").choices(
        Object.keys(csvSeparators),
      ),
    )
    .option(
      "--quiet",
      "show no progress and no final count, only warnings, errors, and the name of the file if --output has none",
    )
    .addHelpText(
      "after",
      `
In CSV and XLSX a field with several values has them separated by "; ". A field with
the name of a column of ours, such as _id, gets the heading "_id (field)"; beyond 500
columns the rest of a row is JSON in the column _more. Both are held in memory until
all fields are known, unless --column names them.

XLSX is for Excel and LibreOffice: texts stay what they are (0123, 1e5, +49), and none
is a formula. A text longer than the 32,767 characters that a cell holds ends in "…",
which is said; the other formats have all of it.

In CSV a cell that a spreadsheet could take for a formula begins with an apostrophe,
and so does each part of one, after a mark such as ; or a line break; telephone
numbers and numbers have none. Where numbers are written with a decimal comma, Excel
needs --separator semicolon --bom. JSON and NDJSON (one object per line) hold every
value as it was typed. At a terminal, control characters and invisible ones are
replaced or escaped; files and pipes get every byte.

The format sealed needs no key and opens nothing: each line is a submission as the
server has it. sealpost-opener.html opens such a file without a server.

Examples:
  $ sealpost submissions export form_… --key sealpost-contact-v1.key.json > contact.csv
  $ sealpost submissions export form_… --key sealpost-contact-v1.key.json --output
  $ sealpost submissions export form_… --identity sealpost-reports.identity.txt
  $ sealpost submissions export form_… --key v1.key.json --format xlsx --output
  $ sealpost submissions export form_… --format sealed --output
  $ sealpost submissions export form_… --key v1.key.json --key v2.key.json \\
      --format ndjson --from 2026-01-01 | jq .fields`,
    )
    .action((formId: string, options: ExportOptions) => exportSubmissions(context, formId, options));
}

async function exportSubmissions(context: Context, formId: string, options: ExportOptions): Promise<void> {
  const { format } = options;
  if (format !== "csv" && (options.separator !== undefined || options.bom))
    throw new CommandError("usage", "--separator and --bom are for the format csv alone");
  if (format === "xlsx" && options.output === undefined && context.output.isTTY)
    throw new CommandError("usage", "XLSX can't be shown at a terminal: use --output, or redirect it to a file");
  if (format === "sealed") return exportSealed(context, formId, options);
  return exportOpened(context, formId, { ...options, format });
}

/** Writes submissions as the server has them, to keep them, or to open them elsewhere. */
async function exportSealed(context: Context, formId: string, options: ExportOptions): Promise<void> {
  if (
    options.key !== undefined ||
    options.identity !== undefined ||
    options.column !== undefined ||
    options.passphraseFile
  )
    throw new CommandError(
      "usage",
      "The format sealed opens nothing: --key, --identity, --passphrase-file and --column don't go with it",
    );
  const { signal } = context;
  const client = await connect(context);
  const path = options.output === true ? await nameFile(context, client, formId, "sealed.ndjson") : options.output;
  const { submissions, total } = await startExport(client, formId, queryOf(options), signal);
  const progress = createProgress(context, total, options.quiet);
  // One that was never sealed may hold anything.
  const toText = path === undefined && context.output.isTTY ? formatJson : JSON.stringify;
  let [written, notSealed] = [0, 0];
  let last: string | undefined;
  async function* lines() {
    for await (const submission of submissions) {
      if (!submission.payload.encrypted) notSealed++;
      if (submission.payload.encrypted || options.plain) {
        yield `${toText(submission)}\n`;
        written++;
      }
      last = submission.id;
      progress.advance();
    }
  }
  try {
    await writeOut(context, lines(), path, true);
  } catch (error) {
    if (last !== undefined && !isClosedPipe(error)) sayInterrupted(context, last, path);
    throw error;
  } finally {
    progress.end();
  }
  sayWritten(context, options, path);
  if (notSealed === 0 || !options.plain)
    sayUnlessQuiet(context, options, `${counted(written, "submission")}, still sealed`);
  else
    say(
      context,
      `${counted(written, "submission")}. ${counted(notSealed, "of them was", "of them were")} never sealed: anyone can read ${notSealed === 1 ? "it" : "these"} in the file`,
    );
  if (notSealed > 0 && !options.plain)
    throw new CommandError(
      "notSealed",
      `${counted(notSealed, "submission was", "submissions were")} never sealed and so left out: --plain includes what is not sealed`,
    );
}

function queryOf({ after, ...range }: ExportOptions) {
  return { ...rangeOf(range), ...(after === undefined ? {} : { after }) };
}

async function exportOpened(
  context: Context,
  formId: string,
  options: ExportOptions & { readonly format: RowFormat },
): Promise<void> {
  const { signal } = context;
  const client = await connect(context);
  const keys = await findOpeningKeys(context, client, formId, options);
  const path = options.output === true ? await nameFile(context, client, formId, endingOf(options)) : options.output;
  const formKeys = await loadFormKeys(client, formId, signal);
  sayHybridDifferences(context, formKeys, keys.current());
  const fingerprints = new Map(formKeys.map(({ version, fingerprint }) => [version, fingerprint]));
  const { submissions, total } = await startExport(client, formId, queryOf(options), signal);
  const acceptPlain = options.plain ?? keys.current().length === 0;
  const opened = mapInOrder(submissions, availableParallelism() * 2, async (submission) => {
    const expected = fingerprints.get(submission.keyVersion);
    const { keyVersion } = submission;
    const held = submission.payload.encrypted ? await keys.forVersion(keyVersion) : keys.current();
    return toRow(submission, await openSubmission(formId, submission, held, expected, { acceptPlain }));
  });
  const summary = {
    written: 0,
    notOpened: 0,
    notSealed: 0,
    missingVersions: new Set<number>(),
    openedVersions: new Set<number>(),
    cut: 0,
    last: undefined as string | undefined,
  };
  const progress = createProgress(context, total, options.quiet);
  async function* watched(rows: AsyncIterable<SubmissionRow>) {
    for await (const row of rows) {
      yield row;
      summary.written++;
      summary.last = row.id;
      if (row.status === "not_sealed") summary.notSealed++;
      else if (row.fields === undefined) summary.notOpened++;
      if (row.status === "opened") summary.openedVersions.add(row.keyVersion);
      if (row.status === "no_key") summary.missingVersions.add(row.keyVersion);
      progress.advance();
    }
  }
  const pieces = formatRows(watched(opened), options.format, {
    columns: options.column,
    byteOrderMark: options.bom,
    separator: options.separator,
    onCut: () => summary.cut++,
    isTerminal: path === undefined && context.output.isTTY,
  });
  const isWhole = options.format === "ndjson" || (options.format === "csv" && options.column !== undefined);
  try {
    await writeOut(context, pieces, path, isWhole);
  } catch (error) {
    if (isWhole && summary.last !== undefined && !isClosedPipe(error)) sayInterrupted(context, summary.last, path);
    throw error;
  } finally {
    progress.end();
  }
  const { written, notOpened, notSealed, missingVersions } = summary;
  // So that the server warns only of forms whose key nobody may have. A key without forms:write cannot say it, and need not.
  for (const version of summary.openedVersions)
    await client.forms.proveKey(formId, version, { signal }).catch(() => undefined);
  const leftOut = acceptPlain ? 0 : notSealed;
  sayWritten(context, options, path);
  sayUnlessQuiet(
    context,
    options,
    `${counted(written, "submission")}, ${written - notOpened - leftOut} of them readable`,
  );
  if (summary.cut > 0)
    say(
      context,
      `${counted(summary.cut, "text is", "texts are")} too long for an XLSX cell and cut off with "…": the other formats have all of it`,
    );
  if (notSealed > 0)
    say(
      context,
      `${counted(notSealed, "of them was", "of them were")} never sealed: the server could read and change ${notSealed === 1 ? "it" : "these"}${leftOut > 0 ? ": left out; --plain includes what is not sealed" : ""}`,
    );
  if (missingVersions.size > 0)
    say(
      context,
      `No private key available for key version ${[...missingVersions].join(", ")}: give its file with --key`,
    );
  const complaints = [
    ...(leftOut > 0 ? [`${counted(leftOut, "submission was", "submissions were")} never sealed`] : []),
    ...(notOpened > 0 ? [`${counted(notOpened, "submission")} could not be opened`] : []),
  ];
  // The exit code is of the graver one: a server that makes up submissions is worse than a missing key.
  if (complaints.length > 0) throw new CommandError(leftOut > 0 ? "notSealed" : "notOpened", complaints.join(", "));
}

function endingOf({ format, separator }: { readonly format: RowFormat; readonly separator?: CsvSeparator }) {
  return format === "csv" && separator === "tab" ? "tsv" : format;
}

/** Where the command chose the name, it is a result, which no script could know otherwise. */
function sayWritten(context: Context, { output }: ExportOptions, path: string | undefined): void {
  if (output === true) say(context, `Written to ${path}`);
}

function sayUnlessQuiet(context: Context, { quiet }: ExportOptions, message: string): void {
  if (!quiet) say(context, message);
}

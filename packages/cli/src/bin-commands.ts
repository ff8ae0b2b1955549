import type { BinnedSubmission, Client } from "@sealpost/sdk";
import type { Command } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { counted } from "./counted.ts";
import { CommandError } from "./exit-code.ts";
import { isAhead } from "./new-submissions.ts";
import { parseCount, parseTime } from "./option-values.ts";
import { confirm } from "./prompt.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";

interface DeleteOptions {
  readonly before?: number;
  readonly all?: boolean;
  readonly forGood?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

interface RestoreOptions {
  readonly all?: boolean;
  readonly json?: boolean;
}

interface BinOptions {
  readonly limit: number;
  readonly empty?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

export function addBinCommands(submissions: Command, context: Context): void {
  submissions
    .command("delete")
    .summary("move submissions to the form's bin, or delete them for good")
    .description(
      "Moves submissions to the form's bin: they are gone from lists, exports and counts, and `restore` brings them back until the form's binDays are over. " +
        "Where these are 0, they are deleted for good. Needs submissions:delete; --before and --all need submissions:read too.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .argument("[ids...]", "ids of submissions, sub_…")
    .option(
      "--before <time>",
      "all received before this time: 2026-01-31, 2026-01-31T12:00Z or milliseconds",
      parseTime,
    )
    .option("--all", "all current submissions")
    .option("--for-good", "delete for good at once, including what is in the bin; nobody can restore it")
    .option("--yes", "do not ask, even for more than one")
    .option("--json", "print the answer as JSON")
    .addHelpText(
      "after",
      "\nMore than one is asked for at a terminal, and wants --yes elsewhere.\n\nExample:\n  $ sealpost submissions delete form_… --before 2026-01-01",
    )
    .action((formId: string, ids: string[], options: DeleteOptions) => deleteSome(context, formId, ids, options));

  submissions
    .command("restore")
    .summary("restore submissions from the form's bin")
    .description("Moves submissions from the form's bin back to where they were. Needs submissions:delete.")
    .argument("<form-id>", "id of the form, form_…")
    .argument("[ids...]", "ids of submissions, sub_…")
    .option("--all", "everything in the bin")
    .option("--json", "print the answer as JSON")
    .action((formId: string, ids: string[], options: RestoreOptions) => restoreSome(context, formId, ids, options));

  submissions
    .command("bin")
    .summary("list what is in the form's bin, or empty it")
    .description(
      "Lists the submissions in the form's bin, the latest first, without their contents. Needs submissions:read.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .option("--limit <count>", "the most to list", parseCount, 50)
    .option("--empty", "delete everything in the bin for good; needs submissions:delete too")
    .option("--yes", "do not ask before emptying")
    .option("--json", "print the submissions, or the answer, as JSON")
    .action((formId: string, options: BinOptions) =>
      options.empty ? emptyBin(context, formId, options) : listBin(context, formId, options),
    );
}

async function deleteSome(
  context: Context,
  formId: string,
  ids: readonly string[],
  { before, all, forGood = false, yes, json }: DeleteOptions,
): Promise<void> {
  if ([ids.length > 0, before !== undefined, all === true].filter(Boolean).length !== 1)
    throw new CommandError("usage", "Name the submissions by their ids, or with --before, or with --all");
  const { signal } = context;
  const client = await connect(context);
  const chosen = ids.length > 0 ? undefined : await findAll(client, formId, { before, forGood }, signal);
  const count = chosen?.count ?? ids.length;
  if (count > 1 && !yes) await confirmCount(context, count, forGood);
  const options = { signal, retry: true };
  const answer = forGood
    ? chosen === undefined
      ? await client.submissions.deleteMany(formId, ids, options)
      : await client.submissions.deleteBefore(formId, chosen.before, options)
    : chosen === undefined
      ? await client.submissions.moveToBin(formId, ids, { ...options, restorable: true })
      : await client.submissions.moveToBinBefore(formId, chosen.before, { ...options, restorable: true });
  const { submissionsBinned, submissionsDeleted } = { submissionsBinned: 0, ...answer };
  if (ids.length > 0 && submissionsBinned + submissionsDeleted === 0)
    throw new CommandError("notFound", "The form has none of these submissions");
  tell(context, json, answer, [
    ...(submissionsBinned > 0
      ? [`Moved ${describe(submissionsBinned)} to the bin; \`restore\` brings them back.`]
      : []),
    ...(submissionsDeleted > 0 ? [`Deleted ${describe(submissionsDeleted)} for good.`] : []),
    ...(submissionsBinned + submissionsDeleted === 0 ? ["There was nothing to delete."] : []),
  ]);
}

async function restoreSome(
  context: Context,
  formId: string,
  ids: readonly string[],
  { all = false, json }: RestoreOptions,
): Promise<void> {
  if (ids.length > 0 === all) throw new CommandError("usage", "Name the submissions by their ids, or with --all");
  const options = { signal: context.signal, retry: true };
  const client = await connect(context);
  const submissionsRestored = all
    ? await client.submissions.restoreAll(formId, options)
    : await client.submissions.restore(formId, ids, options);
  if (!all && submissionsRestored === 0)
    throw new CommandError("notFound", "None of these submissions is in the form's bin");
  tell(context, json, { submissionsRestored }, [`Restored ${describe(submissionsRestored)}.`]);
}

async function listBin(context: Context, formId: string, { limit, json }: BinOptions): Promise<void> {
  const { output, signal } = context;
  const client = await connect(context);
  const found: BinnedSubmission[] = [];
  if (limit > 0) {
    for await (const submission of client.submissions.bin(formId, { signal, retry: true })) {
      if (found.push(submission) >= limit) break;
    }
  }
  if (json) return void output.write(`${formatJson(found, 2)}\n`);
  const rows = found.map(({ id, receivedAt, binnedAt, purgeAt }) => [
    id,
    ...[receivedAt, binnedAt, purgeAt].map(formatTime),
  ]);
  output.write(formatTable(["ID", "RECEIVED", "DELETED", "GONE FOR GOOD"], rows));
}

async function emptyBin(context: Context, formId: string, { yes, json }: BinOptions): Promise<void> {
  const options = { signal: context.signal, retry: true };
  const client = await connect(context);
  const { total, submissions } = await client.submissions.listBin(formId, { limit: 1 }, options);
  // Nothing goes that is moved there while the person reads the question.
  const before = submissions.reduce((latest, { binnedAt }) => Math.max(latest, binnedAt), 0) + 1;
  requirePast(before);
  if (total > 0 && !yes) await confirmCount(context, total, true);
  const answer = await client.submissions.emptyBin(formId, { ...options, before });
  const done =
    answer.submissionsDeleted === 0 ? "The bin is empty." : `Deleted ${describe(answer.submissionsDeleted)} for good.`;
  tell(context, json, answer, [done]);
}

/**
 * How many it is about, and until when: a moment after the newest of them, so that what comes while the person reads the question
 * stays, also where they named a time that has not come yet. What is deleted for good is deleted in the bin too.
 */
async function findAll(
  client: Client,
  formId: string,
  { before, forGood }: { readonly before: number | undefined; readonly forGood: boolean },
  signal: AbortSignal,
) {
  const options = { signal, retry: true };
  const range = before === undefined ? {} : { to: Math.max(0, before - 1) };
  const { total, submissions } = await client.submissions.list(formId, { ...range, limit: 1 }, options);
  const listed = submissions.reduce((latest, { receivedAt }) => Math.max(latest, receivedAt), 0);
  if (!forGood) return { count: total, before: listed + 1 };
  let newest = listed;
  for await (const { receivedAt } of client.submissions.bin(formId, { ...options, ...range, from: listed + 1 }))
    newest = Math.max(newest, receivedAt);
  requirePast(newest + 1);
  const { total: inBin } = await client.submissions.listBin(formId, { to: newest, limit: 1 }, options);
  return { count: total + inBin, before: newest + 1 };
}

/** The service keeps the order of what it dates, but not after a clock that was wrong by days: what comes then may be dated before `before`. */
function requirePast(before: number): void {
  if (isAhead(before))
    throw new CommandError(
      "refused",
      `The newest is dated ${formatTime(before - 1)}, in the future: the server's clock was wrong when it came, or this computer's is. What comes meanwhile would be deleted unseen. Delete by ids, or what was received --before a time that has passed.`,
    );
}

/** Above so many the number is typed, as in the dashboard. */
const typedAbove = 20;

async function confirmCount(context: Context, count: number, isForGood: boolean): Promise<void> {
  const what = isForGood ? `delete ${describe(count)} for good` : `move ${describe(count)} to the bin`;
  await confirm(context, what, "Nothing was deleted", count > typedAbove ? String(count) : "yes");
}

function describe(count: number): string {
  return counted(count, "submission");
}

function tell(context: Context, json: boolean | undefined, answer: object, sentences: readonly string[]): void {
  if (json) context.output.write(`${formatJson(answer, 2)}\n`);
  else for (const sentence of sentences) say(context, sentence);
}

import { type FormKey, findNewestKey } from "@sealpost/sdk";
import type { Command } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { parseCount, parseTime } from "./option-values.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";

interface EndOptions {
  readonly below?: number;
  readonly at?: number;
  readonly reopen?: boolean;
  readonly json?: boolean;
}

export function addEndVersionsCommand(forms: Command, context: Context): void {
  forms
    .command("end-versions")
    .summary("end older versions of a form's key: submissions sealed to them are refused")
    .description(
      "Ends older versions of a form's key: submissions sealed to them are then refused, and open pages seal to the newest key. Stored submissions stay. Needs forms:write and forms:read.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .option("--below <version>", "the lowest version that stays open (default: the newest)", parseCount)
    .option("--at <time>", "when they end: 2027-01-31, 2027-01-31T12:00Z or milliseconds (default: now)", parseTime)
    .option("--reopen", "accept all versions again, without an end")
    .option("--json", "print every version as JSON, as the API shows it")
    .action((formId: string, options: EndOptions) => endVersions(context, formId, options));
}

async function endVersions(context: Context, formId: string, { below, at, reopen, json }: EndOptions): Promise<void> {
  if (reopen && at !== undefined) throw new CommandError("usage", "Give --at or --reopen, not both");
  const { output, signal } = context;
  const { forms } = await connect(context);
  const before = await forms.keys(formId, { signal });
  const newest = below ?? findNewestKey(before)?.version ?? 1;
  if (newest < 2) throw new CommandError("usage", "There is no older version: version 1 is the lowest");
  // A past time is now: the service's clock says when that is.
  const keys = await forms.closeKeys(formId, { below: newest, at: reopen ? null : (at ?? 0) }, { signal });
  sayEnded(context, before, keys, at);
  if (json) return void output.write(`${formatJson(keys, 2)}\n`);
  const rows = keys.map(({ version, closesAt }) => [
    String(version),
    closesAt === undefined ? "never" : formatTime(closesAt),
  ]);
  output.write(formatTable(["VERSION", "ENDS"], rows));
}

/** A version that has ended stays so, whatever time is given: nobody opens by mistake what somebody's key may open. */
function sayEnded(
  context: Context,
  before: readonly FormKey[],
  after: readonly FormKey[],
  at: number | undefined,
): void {
  if (at === undefined) return;
  const ends = new Map(before.map(({ version, closesAt }) => [version, closesAt]));
  const ended = after.filter(
    ({ version, closesAt }) => closesAt !== undefined && closesAt < at && ends.get(version) === closesAt,
  );
  if (ended.length === 0) return;
  const named = ended.map(({ version, closesAt = 0 }) => `${version} (${formatTime(closesAt)})`).join(", ");
  say(context, `Already ended, and stay ended: version ${named}. --reopen takes all versions again`);
}

import { setTimeout as sleep } from "node:timers/promises";
import { type Client, openSubmission, type Submission } from "@sealpost/sdk";
import { createWebhookSecret, signStandard } from "@sealpost/wire";
import { type Command, Option } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { counted } from "./counted.ts";
import { findOpeningKeys, headsOption, type IdentityOptions, identityOption, listOption } from "./envelope-keys.ts";
import { CommandError, toCommandError } from "./exit-code.ts";
import { loadFormKeys } from "./form-keys.ts";
import { findFormName } from "./form-name.ts";
import { parseForwardUrl } from "./forward.ts";
import { forwardUntilAnswered } from "./forwarding.ts";
import { sayHybridDifferences, watchHybridKeys } from "./hybrid-differences.ts";
import { createLocalDelivery, signLocalDelivery } from "./local-delivery.ts";
import { type NewSubmissions, watchNewSubmissions } from "./new-submissions.ts";
import { collect, parseSeconds, plainOption } from "./option-values.ts";
import { passphraseOption } from "./passphrase.ts";
import { toRow } from "./submission-row.ts";
import { formatJson } from "./table.ts";
import { readText } from "./text-input.ts";
import { writePieces } from "./write-pieces.ts";

interface ListenOptions extends IdentityOptions {
  readonly form: string;
  readonly forward?: string;
  readonly secret?: string;
  readonly secretFile?: string;
  readonly key?: readonly string[];
  readonly plain?: boolean;
  readonly interval: number;
}

export function addListenCommand(webhooks: Command, context: Context, version: string): void {
  webhooks
    .command("listen")
    .summary("make the webhooks of new submissions here, and post them to a receiver on this machine")
    .description(
      "Asks for new submissions of a form again and again, makes for each the submission.created event that the service " +
        "would send, signs it here, and writes it as a line of JSON: its headers, its body, parsed and as signed, and with --key or --identity what is in it. " +
        "Needs submissions:read; with forms:read too, the event has the form's name. Ctrl-C ends it.",
    )
    .requiredOption("--form <form-id>", "id of the form, form_…")
    .option("--forward <url>", "post each event there: http:// on this machine, such as http://localhost:3000/")
    .option(
      "--secret-file <file>",
      "file with the webhook secret to sign with, whsec_…, - for standard input; without it, one is made and shown",
    )
    .addOption(
      new Option("--secret <secret>", "the same as an argument, which is in the process list").conflicts("secretFile"),
    )
    .option("--key <file>", "private key, to show what is in each submission; repeatable", collect)
    .option(...identityOption)
    .option(...listOption)
    .option(...headsOption)
    .option(...passphraseOption)
    .option(...plainOption)
    .addOption(
      new Option("--interval <seconds>", "pause before asking again").argParser(parseSeconds).default(2000, "2"),
    )
    .addHelpText(
      "after",
      `
The signature among the headers of a line is over its rawBody (UTF-8), the bytes
that --forward posts; body is the same, parsed, and no signature is over that.

The event is the service's but for its delivery id and the secret. The form's
webhook URL plays no part and keeps getting its own.

With --forward, an event that is answered with 429 or 5xx, or not at all, is
posted again like a delivery of the service, six times at most, but after
seconds. Another 4xx ends it. While nobody listens at the address, everything
waits. Redirects are not followed. No submission that comes in while this runs
is left out or made into a second event.

Examples:
  $ sealpost webhooks listen --form form_… --key sealpost-contact-v1.key.json
  $ sealpost webhooks listen --form form_… --forward http://localhost:3000/ \\
      --secret-file webhook-secret
  $ printenv SEALPOST_WEBHOOK_SECRET |
      sealpost webhooks listen --form form_… --secret-file -`,
    )
    .action((options: ListenOptions) => listen(context, options, version));
}

async function listen(context: Context, options: ListenOptions, version: string): Promise<void> {
  const { signal } = context;
  const { form: formId, interval: pauseMilliseconds } = options;
  const target = options.forward === undefined ? undefined : parseForwardUrl(options.forward);
  const given = await findSecret(context, options);
  const secret = given ?? createWebhookSecret();
  const client = await connect(context);
  const keys = await findOpeningKeys(context, client, formId, options);
  const formName = await findFormName(client, formId, signal);
  const isReading = keys.current().length > 0;
  if (isReading) sayHybridDifferences(context, await loadFormKeys(client, formId, signal), keys.current());
  const watchHybrid = watchHybridKeys(context, keys.current);
  const read = async (submission: Submission) => {
    const held = submission.payload.encrypted
      ? await untilAnswered(context, pauseMilliseconds, () => keys.forVersion(submission.keyVersion))
      : keys.current();
    const opened = await openSubmission(formId, submission, held, undefined, { acceptPlain: options.plain ?? false });
    watchHybrid(submission, opened);
    const { status, fields } = toRow(submission, opened);
    return { status, ...(fields !== undefined && { fields }) };
  };
  const fresh = await watchNewSubmissions(client, formId, signal);
  if (given === undefined) say(context, `Webhook secret, made for this run: ${secret}`);
  say(context, `Waiting for submissions of ${formId}${target === undefined ? "" : `, for ${target.href}`}`);

  let count = 0;
  const handle: Following["handle"] = async (name, submission) => {
    const delivery = createLocalDelivery({ id: formId, name }, submission);
    const sign = () => signLocalDelivery(delivery, { secret, sentAt: context.now(), version });
    const rawBody = new TextDecoder().decode(delivery.body);
    const line = {
      headers: await sign(),
      body: JSON.parse(rawBody),
      rawBody,
      ...(isReading && (await read(submission))),
    };
    await writePieces(context.output, once(`${formatJson(line)}\n`), signal);
    count += 1;
    if (target !== undefined) await forwardUntilAnswered(context, { delivery, sign, target, pauseMilliseconds });
  };
  try {
    await follow(context, { formName, client, formId, fresh, pauseMilliseconds, handle });
  } catch (error) {
    // Ctrl-C is how this ends.
    if (!signal.aborted) throw error;
  }
  say(context, counted(count, "submission"));
}

interface Following {
  readonly formName: string;
  readonly client: Client;
  readonly formId: string;
  readonly fresh: NewSubmissions;
  readonly pauseMilliseconds: number;
  readonly handle: (formName: string, submission: Submission) => Promise<void>;
}

/** Asks again while the server can't be reached: the submission was taken, and is not given up for that. */
async function untilAnswered<Answer>(
  context: Context,
  pauseMilliseconds: number,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await ask();
    } catch (error) {
      const { exit, message } = toCommandError(error);
      if (context.signal.aborted || exit !== "unavailable") throw error;
      if (isFirst) say(context, `${message}\nAsking again until it answers`);
    }
    await sleep(pauseMilliseconds, undefined, { signal: context.signal });
  }
}

/** Ends only by rejecting. A server that cannot be reached is asked again: nothing is lost by it. */
async function follow(context: Context, following: Following): Promise<never> {
  const { client, formId, fresh, pauseMilliseconds, handle } = following;
  let { formName } = following;
  let isAway = false;
  for (;;) {
    const found = await fresh.take().catch((error: unknown) => {
      const { exit, message } = toCommandError(error);
      if (context.signal.aborted || exit !== "unavailable") throw error;
      if (!isAway) say(context, `${message}\nAsking again until it answers`);
      isAway = true;
      return undefined;
    });
    if (found !== undefined && isAway) {
      isAway = false;
      say(context, "The server answers again");
    }
    // It may have been renamed. What was taken is never given up for that.
    if (found !== undefined && found.length > 0)
      formName = await findFormName(client, formId, context.signal).catch(() => formName);
    for (const submission of found ?? []) await handle(formName, submission);
    if (found === undefined || found.length === 0)
      await sleep(pauseMilliseconds, undefined, { signal: context.signal });
  }
}

/** The secret that was given, if any. Throws a `CommandError`, without the value, for what cannot sign. */
async function findSecret(
  context: Context,
  { secret, secretFile }: Pick<ListenOptions, "secret" | "secretFile">,
): Promise<string | undefined> {
  const given =
    secretFile === undefined ? secret : (await readText(context, secretFile, "file of the webhook secret")).trim();
  if (given === undefined) return undefined;
  try {
    await signStandard(given, "", 0, new Uint8Array());
    return given;
  } catch {
    const option = secretFile === undefined ? "--secret" : "--secret-file";
    throw new CommandError("usage", `${option} takes a webhook secret: whsec_ followed by base64`);
  }
}

async function* once(text: string) {
  yield text;
}

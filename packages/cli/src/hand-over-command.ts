import type { Client } from "@sealpost/sdk";
import { type Command, Option } from "commander";
import { connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import type { WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { collect } from "./option-values.ts";
import { printable } from "./printable.ts";
import { ask } from "./prompt.ts";
import { confirmUnopened, expectNameOption, type NameOptions, unsignedNameOption } from "./signed-form-name.ts";
import { addWriterOptions } from "./write-form.ts";

interface HandOverOptions extends WriterOptions, NameOptions {
  readonly unsignedName?: boolean;
  readonly keepWebhook?: string;
  readonly webhookSecret?: "new" | "kept";
  readonly removeWebhook?: boolean;
}

type Chosen = NonNullable<Parameters<Client["forms"]["handOver"]>[1]["webhook"]> | null;

export function addHandOverCommand(forms: Command, context: Context): void {
  addWriterOptions(forms.command("hand-over"))
    .summary("hand a form to another organization that you own")
    .description(
      "Hands a form with its submissions, keys, webhook and settings to another organization, and prints the form's id, which stays the same: pages need no change. " +
        "Members of the former organization lose access. They know its webhook's address and secret: where it has one you are asked what becomes of it, or say so by an option. You have to own both organizations. A form under legal hold stays. Needs a session that began within the last hour (`sealpost login`), not an API key.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .argument("<organization-id>", "id of the other organization, acc_…")
    .option(...expectNameOption, collect)
    .option(...unsignedNameOption)
    .option("--keep-webhook <host>", "the webhook continues to its address, which is at this host")
    .addOption(
      new Option(
        "--webhook-secret <new|kept>",
        "with --keep-webhook: whether another secret signs, next to the one before for 24 hours",
      )
        .choices(["new", "kept"])
        .default("new"),
    )
    .addOption(
      new Option("--remove-webhook", "the webhook's address is removed: deliveries that wait fail").conflicts(
        "keepWebhook",
      ),
    )
    .action((formId: string, organizationId: string, options: HandOverOptions) =>
      handOver(context, formId, organizationId, options),
    );
}

async function handOver(
  context: Context,
  formId: string,
  organizationId: string,
  options: HandOverOptions,
): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  await confirmUnopened(context, formId, options);
  const webhook = await chooseWebhook(context, client, formId, options);
  const done = await client.forms.handOver(
    formId,
    { organizationId, ...(webhook !== undefined && { webhook }) },
    { signal },
  );
  if (done !== undefined)
    say(
      context,
      done.kept
        ? `Its webhook continues to ${printable(done.host)}, with ${done.secret === "new" ? "another secret: put it into the receiver within 24 hours" : "the secret that the former organization knows: rotate it when the receiver can take another one"}.`
        : `Its webhook's address, at ${printable(done.host)}, is removed.`,
    );
  output.write(`${printable(formId)}\n`);
}

/** The webhook's future, by the options or the person's answer; `undefined` where the form has no address. */
async function chooseWebhook(
  context: Context,
  client: Client,
  formId: string,
  { keepWebhook, removeWebhook, webhookSecret = "new" }: HandOverOptions,
): Promise<Chosen | undefined> {
  const { settings } = await client.forms.get(formId, { signal: context.signal });
  const url = settings.webhookUrl;
  if (url === null) return undefined;
  const { host } = new URL(url);
  if (removeWebhook) return null;
  if (keepWebhook !== undefined) {
    if (keepWebhook === host) return { url, secret: webhookSecret };
    throw new CommandError(
      "differs",
      `The form's webhook sends to ${printable(host)}, not to ${printable(keepWebhook)}. Nothing was changed`,
    );
  }
  say(
    context,
    `The form's webhook sends to ${printable(host)}. The former organization knows this address and the secret.`,
  );
  if (!context.input.isTTY)
    throw new CommandError(
      "usage",
      `Say by --keep-webhook ${printable(host)} or --remove-webhook what becomes of it. Nothing was changed`,
    );
  const typed = (
    await ask(context, "Type new to keep the address with another secret, kept to keep both, or remove")
  ).trim();
  if (typed === "remove") return null;
  if (typed === "new" || typed === "kept") return { url, secret: typed };
  throw new CommandError("usage", "Nothing was changed");
}

import { type Command, InvalidArgumentError } from "commander";
import { connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { addEnvelopeCommand } from "./envelope-command.ts";
import { addListHeadCommands } from "./list-head-command.ts";
import { addListedCommands } from "./listed-command.ts";
import { collectList, parseTime } from "./option-values.ts";
import { printable } from "./printable.ts";
import { addProgramCommand } from "./program-command.ts";
import { addReadersCommands } from "./readers-command.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";
import { addUnlockCommand } from "./unlock-command.ts";

const permissions = ["forms:read", "forms:write", "submissions:read", "submissions:delete"] as const;
type Permission = (typeof permissions)[number];

interface CreateOptions {
  readonly permission?: readonly Permission[];
  readonly form?: readonly string[];
  readonly expires?: number;
  readonly json?: boolean;
}

export function addKeysCommands(program: Command, context: Context): void {
  const keys = program
    .command("keys")
    .summary("list, create and revoke API keys; manage your personal key, programs, and the readers of envelopes")
    .description(
      "Manages API keys, which needs a session (`sealpost login`): an API key cannot manage API keys. Also opens personal keys, makes the identities of programs, and says who reads envelopes.",
    );

  keys
    .command("list")
    .summary("list the account's API keys")
    .description("Lists all API keys of the account, without their values.")
    .option("--json", "print the keys as a JSON array, as the API shows them")
    .action((options: { json?: boolean }) => listKeys(context, options));

  keys
    .command("create")
    .summary("create an API key and print it once")
    .description("Creates an API key and prints its value. It is shown only this once.")
    .argument("<name>", "name of the key, at most 50 characters")
    .option(
      "--permission <permission>",
      "forms:read, forms:write, submissions:read or submissions:delete; repeatable (default: all four)",
      collectPermissions,
    )
    .option(
      "--form <form-id>",
      "form that the key is limited to; repeatable, or with commas (default: all)",
      collectList,
    )
    .option(
      "--expires <time>",
      "when the key ends: 2027-01-31, 2027-01-31T12:00Z or milliseconds (default: never)",
      parseTime,
    )
    .option("--json", "print the key as JSON, as the API shows it")
    .addHelpText("after", "\nExample:\n  $ sealpost keys create backup --permission submissions:read > key.txt")
    .action((name: string, options: CreateOptions) => createKey(context, name, options));

  keys
    .command("revoke")
    .summary("revoke an API key at once")
    .description("Revokes an API key, at once.")
    .argument("<key-id>", "id of the key, key_…")
    .action((keyId: string) => revokeKey(context, keyId));

  addProgramCommand(keys, context);
  addUnlockCommand(keys, context);
  addReadersCommands(keys, context);
  addListedCommands(keys, context);
  addEnvelopeCommand(keys, context);
  addListHeadCommands(keys, context);
}

async function listKeys(context: Context, { json }: { json?: boolean }): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  const { keys } = await client.apiKeys.list({ signal, retry: true });
  if (json) return void output.write(`${formatJson(keys, 2)}\n`);
  const rows = keys.map(({ id, name, prefix, permissions, maker, lastUsed, forms, expiresAt }) => [
    ...[id, name, `${prefix}…`, permissions.join(" "), forms === undefined ? "all" : String(forms.length)],
    ...[maker.name, lastUsed ?? "never", expiresAt ?? "never"],
  ]);
  output.write(formatTable(["ID", "NAME", "KEY", "PERMISSIONS", "FORMS", "MADE BY", "LAST USED", "ENDS"], rows));
}

async function createKey(
  context: Context,
  name: string,
  { permission, form, expires, json }: CreateOptions,
): Promise<void> {
  const { output, signal } = context;
  const body = {
    name,
    ...(permission && { permissions: [...permission] }),
    ...(form && { forms: [...form] }),
    ...(expires !== undefined && { expiresAt: formatTime(expires) }),
  };
  const { client } = await connectWithSession(context);
  const { key, warning } = await client.apiKeys.create(body, { signal });
  say(context, warning);
  output.write(json ? `${formatJson(key, 2)}\n` : `${printable(key.key)}\n`);
}

async function revokeKey(context: Context, keyId: string): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  output.write(`${printable(await client.apiKeys.revoke(keyId, { signal }))}\n`);
}

function collectPermissions(value: string, before: readonly Permission[] = []): readonly Permission[] {
  const permission = permissions.find((known) => known === value);
  if (permission === undefined) throw new InvalidArgumentError(`It must be one of ${permissions.join(", ")}.`);
  return [...before, permission];
}

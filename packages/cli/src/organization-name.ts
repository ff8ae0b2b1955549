import type { VerifiedList } from "@sealpost/envelope";
import { ApiError, type Client } from "@sealpost/sdk";
import { type Context, say } from "./context.ts";
import type { Person } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { changeListOf } from "./list-members.ts";
import { printable } from "./printable.ts";
import { ask } from "./prompt.ts";

/** The server's name for the organization that the session acts for; `undefined` with an API key, which is shown none. */
export async function findServedName(client: Client, id: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const { organizations } = await client.organizations.list({ signal, retry: true });
    return organizations.find((one) => one.id === id)?.name;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return undefined;
    throw error;
  }
}

export function describeOrganization({ organizationId, organizationName }: VerifiedList): string {
  return organizationName === undefined
    ? `the organization ${organizationId}, whose list of members has no signed name for it`
    : `${printable(organizationName)} (${organizationId}), by its list of members`;
}

/** Says for which organization a form is made. Where the server calls it something else, the person confirms it, or has named its id. */
export async function confirmOrganization(
  context: Context,
  { client, writer }: Pick<Person, "client" | "writer">,
  named: string | undefined,
): Promise<void> {
  const list = await writer.loadList({ signal: context.signal });
  say(context, `For ${describeOrganization(list)}.`);
  if (named !== undefined || list.organizationName === undefined) return;
  const { fitName } = await import("@sealpost/envelope");
  const served = await findServedName(client, list.organizationId, context.signal);
  if (served === undefined || fitName(served) === list.organizationName) return;
  const other = `The server calls this organization ${printable(served)}, not ${printable(list.organizationName)}`;
  if (!context.input.isTTY)
    throw new CommandError("usage", `${other}. If it is meant, name it: --organization ${list.organizationId}`);
  say(context, `${other}.`);
  const typed = await ask(context, `Type yes if you mean ${printable(list.organizationName)}`);
  if (typed.trim() !== "yes") throw new CommandError("usage", "Nothing was created");
}

/** Has the list of members call the organization so. Gives the name that is signed. */
export async function signOrganizationName(person: Person, name: string): Promise<string> {
  const { fitName } = await import("@sealpost/envelope");
  const fitting = fitName(name.trim());
  if (fitting === "")
    throw new CommandError("usage", "The organization has no name yet: `sealpost organizations rename`");
  await changeListOf(person, (list) =>
    list.organizationName === fitting ? undefined : { change: "name", name: fitting },
  );
  return fitting;
}

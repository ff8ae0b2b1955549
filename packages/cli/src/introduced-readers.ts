import type { VerifiedList } from "@sealpost/envelope";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import type { Person } from "./envelope-writer.ts";
import { printable } from "./printable.ts";
import { shownName } from "./shown-name.ts";

/** Says which readers of forms these members have put there, before they leave: others vouch for the readers' keys, and nobody for that they read there. */
export async function sayIntroduced(
  context: Context,
  { client, writer, signal }: Person,
  leaving: readonly string[],
): Promise<void> {
  const { findIntroducedBy } = await import("@sealpost/envelope");
  const rows: string[] = [];
  const unseen: string[] = [];
  for await (const { id: formId, name } of client.forms.all({ signal, retry: true })) {
    const opened = await writer.open(formId, { signal }).catch((error: unknown) => {
      const shown = toProblemError(error);
      if (shown === error) throw error;
      return undefined;
    });
    const form = `${printable(formId)} (${printable(name)})`;
    if (opened?.kind === "none") continue;
    if (opened === undefined || opened.refused.length > 0) unseen.push(form);
    const { envelopes = [], list } = opened ?? {};
    const ids = new Set(envelopes.flatMap(({ head }) => (list ? findIntroducedBy(list, head, leaving) : [])));
    if (list && ids.size > 0) rows.push(`${form}: ${[...ids].map((one) => describe(list, one)).join(", ")}`);
  }
  if (rows.length > 0)
    say(
      context,
      `Readers that they put into forms keep reading. Confirm each with \`sealpost keys readers add\`, or take them out with \`keys readers remove\`:\n${rows.join("\n")}`,
    );
  if (unseen.length > 0)
    say(
      context,
      `Your key does not open the envelopes of these forms, so their readers are not known: ${unseen.join(", ")}`,
    );
}

function describe({ members }: VerifiedList, id: string): string {
  return `${shownName({ id, name: members.get(id)?.name })} (${id})`;
}

import { findUnintroduced, type Member } from "@sealpost/envelope";
import { findFirstSights } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import type { CheckedList } from "./load-list.ts";
import { openFormBy } from "./open-form.ts";
import type { ReaderChange } from "./sweep.ts";

/** Readers of a form whom the person's former key put there: somebody else may have had that key. */
export interface PutReaders<Form extends { readonly id: string } = { readonly id: string; readonly name: string }> {
  readonly form: Form;
  readonly members: readonly Member[];
}

/** Lists these readers for each form that opens here, even if nobody has looked at its envelope yet. Readers whom the next revision drops anyway are not listed. */
export async function findPutReaders<Form extends { readonly id: string }>(
  context: EnvelopeContext,
  list: CheckedList,
  forms: readonly Form[],
): Promise<readonly PutReaders<Form>[]> {
  const put: PutReaders<Form>[] = [];
  for (const form of forms) {
    const opened = await openFormBy(context, form.id as FormId, list); // the server names no others
    if (opened.kind !== "opened") continue;
    const shown = [...opened.envelopes, ...findFirstSights(opened)];
    const ids = new Set(shown.flatMap(({ head }) => findUnintroduced(list.list, head)));
    const members = [...ids].flatMap((id) => (list.sealable.has(id) ? (list.list.members.get(id) ?? []) : []));
    const others = members.filter(({ id }) => id !== list.own.id);
    if (others.length > 0) put.push({ form, members: others });
  }
  return put;
}

/** Tells readers who read on, by the person's word (`kept`, the ids of form and member with a space between), from all others. */
export function toSaid(put: readonly PutReaders[], kept: readonly string[]): ReaderChange["said"] {
  return new Map(
    put.map(({ form, members }) => {
      const ids = members.map(({ id }) => id);
      const confirm = ids.filter((id) => kept.includes(`${form.id} ${id}`));
      return [form.id, { confirm, remove: ids.filter((id) => !confirm.includes(id)) }];
    }),
  );
}

import { fitName } from "@sealpost/envelope";
import { changeList } from "./change-list.ts";
import type { EnvelopeContext } from "./context.ts";
import { type CheckedList, loadList } from "./load-list.ts";

export interface OrganizationNames {
  /** By the signed list; `undefined` where nobody has signed it there, or the server hides it. */
  readonly signed: string | undefined;
  /** By the server. */
  readonly served: string;
  readonly isSame: boolean;
}

export function compareOrganizationNames({ list }: Pick<CheckedList, "list">, served: string): OrganizationNames {
  const signed = list.organizationName;
  return { signed, served, isSame: signed === fitName(served.trim()) };
}

/** Has the list of members call the organization so, unless it does, or there is no list. */
export async function signOrganizationName(context: EnvelopeContext, name: string): Promise<void> {
  const fitting = fitName(name.trim());
  if (fitting === "" || (await loadList(context)).kind === "none") return;
  await changeList(context, ({ list }) =>
    list.organizationName === fitting ? undefined : { change: "name", name: fitting },
  );
}

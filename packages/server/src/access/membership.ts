import type { FormId } from "@sealpost/wire";
import type { Membership } from "./principal.ts";
import { hasNamedForms, type Role, roles } from "./roles.ts";

/**
 * The role of a row of `member`, and the forms that it reaches. A role that this version does not know, written by a newer one,
 * gives no rights.
 */
export function readMembership(
  role: string | null,
  formIds: () => readonly FormId[],
): Pick<Membership, "role" | "formIds"> {
  const known = roles.find((one): one is Role => one === role);
  if (known === undefined) return { role: undefined, formIds: [] };
  return { role: known, formIds: hasNamedForms(known) ? formIds() : undefined };
}

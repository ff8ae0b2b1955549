import { type AccountId, type FormId, isId } from "@sealpost/wire";
import { hasNamedForms, type Role } from "../access/roles.ts";
import { refuseInvalid } from "../problems/problem.ts";
import type { MemberStore } from "./member-store.ts";
import type { Grant } from "./organization.ts";

/**
 * A role with the forms of a request, all of which have to be the organization's. Throws `bad_request` for a role that names
 * forms it does not need, and for one of named forms without any list.
 */
export async function readGrant(
  members: Pick<MemberStore, "filterForms">,
  organizationId: AccountId,
  role: Role,
  forms: readonly string[] | undefined,
): Promise<Grant> {
  if (!hasNamedForms(role)) {
    refuseInvalid({ forms: forms === undefined ? undefined : "Must be left out: this role is for all forms" });
    return { role, formIds: undefined };
  }
  if (forms === undefined) refuseInvalid({ forms: "Is required" }, "Invalid request");
  const asked = (forms ?? []).filter((id): id is FormId => isId("form", id));
  const known = await members.filterForms(organizationId, asked);
  const isUnknown = known.length < (forms ?? []).length;
  refuseInvalid({ forms: isUnknown ? "Must be forms of this organization" : undefined }, "Invalid request");
  return { role, formIds: known };
}

import type { AccountId, FormId } from "@sealpost/wire";
import { operationRoles, type Role } from "../access/roles.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { mayHoldPlain } from "../forms/form-key-store.ts";
import { type ChosenFor, listAddressesSetBy } from "../webhooks/webhook-store.ts";
import type { Grant } from "./organization.ts";

/** A form whose answers still go to a webhook address that somebody chose who could not choose it now. */
export interface LeftWebhook {
  readonly id: FormId;
  readonly name: string;
}

/**
 * The forms whose webhook address a person was the last to choose, by session or key, and could not choose with this grant; `undefined`
 * for a membership that ends. Their answers still go there: who takes the right away has to know it.
 */
export async function listLeftWebhooks(
  target: Database | DatabaseTransaction,
  organizationId: AccountId,
  personId: AccountId,
  grant: Grant | undefined,
): Promise<readonly LeftWebhook[]> {
  const left: LeftWebhook[] = [];
  for (const form of await listAddressesSetBy(target, organizationId, personId))
    if (!(await mayChoose(target, grant, form))) left.push({ id: form.id, name: form.name });
  return left;
}

const choosing: readonly Role[] = operationRoles.updateForm;

/** The same as `requireWithinRole` says of a developer who asks. */
async function mayChoose(
  target: Database | DatabaseTransaction,
  grant: Grant | undefined,
  { id, isSealed }: ChosenFor,
): Promise<boolean> {
  if (grant === undefined || !choosing.includes(grant.role)) return false;
  if (grant.formIds !== undefined && !grant.formIds.includes(id)) return false;
  return grant.role !== "developer" || (isSealed && !(await mayHoldPlain(target, id)));
}

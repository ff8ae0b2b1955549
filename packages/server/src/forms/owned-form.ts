import type { FastifyRequest } from "fastify";
import { accountOf } from "../access/access.ts";
import { formNotFound } from "../problems/problem.ts";
import type { FormListItem, FormStore } from "./form-store.ts";

/** The form of the path, of the account that asks. Another account's form is not found, like one that does not exist. */
export async function loadOwnedForm(forms: FormStore, request: FastifyRequest, formId: string): Promise<FormListItem> {
  const item = await forms.find(accountOf(request), formId);
  if (item === undefined) throw formNotFound();
  return item;
}

import { orNone } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
import { client } from "./client.ts";

/** An id for a form that is yet to be created. By it, a form is recognized whose request was never answered. */
export const reserveForm = async (): Promise<FormId> => (await client.forms.reserve()).formId as FormId; // ids of forms, by the API's document

/** Whether there is a form with this id. */
export const hasForm = async (formId: string): Promise<boolean> =>
  (await orNone(client.forms.get(formId))) !== undefined;

/** `true` where the organization has the form no more. */
export const findGone = async (formId: string): Promise<true | undefined> =>
  (await hasForm(formId)) ? undefined : true;

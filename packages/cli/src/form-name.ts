import { ApiError, type Client } from "@sealpost/sdk";

/** The form's name, or its id where the credential may not read forms. */
export async function findFormName(client: Client, formId: string, signal: AbortSignal): Promise<string> {
  try {
    return (await client.forms.get(formId, { signal, retry: true })).name;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return formId;
    throw error;
  }
}

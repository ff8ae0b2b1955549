import { ApiError, type Client, type FormKey } from "@sealpost/sdk";

/** The form's public keys; none when the credential may not read them, and then the labels of private keys decide. */
export async function loadFormKeys(client: Client, formId: string, signal: AbortSignal): Promise<readonly FormKey[]> {
  try {
    return await client.forms.keys(formId, { signal, retry: true });
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return [];
    throw error;
  }
}

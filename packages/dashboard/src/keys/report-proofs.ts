import type { FormKey, OpeningKey } from "@sealpost/sdk";
import { client } from "../api/client.ts";
import { provesKey } from "./new-key.ts";

/**
 * Tells the server which of these keys opened a test value, so that it warns of a form only whose key nobody may have. That
 * they did is all that is sent. Not being able to tell it is no reason to stop anybody. True when something was told.
 */
export async function reportProofs(
  formId: string,
  keys: readonly OpeningKey[],
  formKeys: readonly FormKey[],
): Promise<boolean> {
  const told = await Promise.all(
    formKeys
      .filter(({ provedAt }) => provedAt === null)
      .map(async ({ version, publicKey, fingerprint }) => {
        const key = keys.find((held) => held.fingerprint === fingerprint);
        if (key === undefined || !(await provesKey({ publicKey, keyVersion: version }, key))) return false;
        return client.forms.proveKey(formId, version).then(
          () => true,
          () => false,
        );
      }),
  );
  return told.includes(true);
}

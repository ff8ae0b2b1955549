import type { FormKey, OpeningKey } from "@sealpost/sdk";
import type { QueryClient } from "@tanstack/react-query";
import { client } from "../api/client.ts";
import { queries } from "../api/queries.ts";
import { retryQuietly } from "../browser/retry-quietly.ts";
import { provesKey } from "./new-key.ts";

/** Tells the server that this version's key was proved, a moment ago. Over after the first try; one that gets lost is repeated quietly. */
export function reportProof(formId: string, version: number): Promise<void> {
  return retryQuietly(() => client.forms.proveKey(formId, version));
}

/**
 * Tells the server which of these keys opened a test value, so that it warns of a form only whose key nobody may have. That
 * they did is all that is sent. A failed report stops nobody. True when something was reported.
 */
async function reportProofs(
  formId: string,
  keys: readonly OpeningKey[],
  formKeys: readonly FormKey[],
): Promise<boolean> {
  const reported = await Promise.all(
    formKeys
      .filter(({ provedAt }) => provedAt === null)
      .map(async ({ version, publicKey, hybridPublicKey, fingerprint }) => {
        const key = keys.find((held) => held.fingerprint === fingerprint);
        const toProve = { publicKey, keyVersion: version, ...(hybridPublicKey && { hybridPublicKey }) };
        // A key of the server's that no value can be sealed to is not proved either.
        if (key === undefined || !(await provesKey(toProve, key).catch(() => false))) return false;
        return client.forms.proveKey(formId, version).then(
          () => true,
          () => false,
        );
      }),
  );
  return reported.includes(true);
}

/** The same for keys that opened a form here, whose pages then no longer warn. */
export async function reportProofsOf(
  queryClient: QueryClient,
  formId: string,
  keys: readonly OpeningKey[],
): Promise<void> {
  const formKeys = await queryClient.ensureQueryData(queries.keys(formId)).catch(() => []);
  if (!(await reportProofs(formId, keys, formKeys))) return;
  for (const { queryKey } of [queries.form(formId), queries.keys(formId)])
    await queryClient.invalidateQueries({ queryKey, exact: true });
  await queryClient.invalidateQueries({ queryKey: ["forms"] });
}

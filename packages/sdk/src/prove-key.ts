import {
  type Binding,
  createId,
  type HybridPrivateKey,
  type HybridPublicKey,
  type Kem,
  type Payload,
  type PrivateKey,
  type PublicKey,
  seal,
  sealHybrid,
} from "@sealpost/wire";
import type { OpeningKey } from "./open.ts";
import { openSubmission } from "./receiver.ts";

/** The public halves of a key version. */
export interface PublicKeys {
  readonly publicKey: PublicKey;
  readonly hybridPublicKey?: HybridPublicKey;
}

/** The public halves of private keys that were found usable (`parseOpeningKey`). */
export function publicKeysOf(privateKey: PrivateKey, hybridPrivateKey?: HybridPrivateKey | null): PublicKeys {
  const { kty, n, e } = privateKey;
  const { priv: _, ...hybridPublicKey } = hybridPrivateKey ?? {};
  // Without its private member a hybrid private key is the public one.
  return { publicKey: { kty, n, e }, ...(hybridPrivateKey && { hybridPublicKey: hybridPublicKey as HybridPublicKey }) };
}

/**
 * Seals a fresh value to the public half, and another to the hybrid one, and opens them with the private key as it was kept: whether that copy is good,
 * and whole. `kem` is for runtimes that do not know hybrid keys.
 */
export async function provesKey(
  { publicKey, hybridPublicKey }: PublicKeys,
  { cryptoKey, fingerprint, hybrid }: OpeningKey,
  kem?: Kem,
): Promise<boolean> {
  // The test value belongs to no form, so the key goes without its labels.
  const key: OpeningKey = {
    cryptoKey,
    fingerprint,
    ...(hybrid && { hybrid: { decapsulationKey: hybrid.decapsulationKey, fingerprint: hybrid.fingerprint } }),
  };
  const opens = async (sealFor: (binding: Binding, value: string) => Promise<Payload>) => {
    const [formId, submissionId, keyVersion, value] = [
      createId("form"),
      createId("submission"),
      1,
      crypto.randomUUID(),
    ];
    const payload = await sealFor({ formId, keyVersion, submissionId }, value);
    const opened = await openSubmission(formId, { id: submissionId, payload, keyVersion }, [key], undefined, { kem });
    return opened.opened && opened.fields.value === value;
  };
  if (!(await opens((binding, value) => seal({ value }, binding, publicKey)))) return false;
  return (
    hybridPublicKey === undefined || opens((binding, value) => sealHybrid({ value }, binding, hybridPublicKey, kem))
  );
}

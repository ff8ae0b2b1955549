import keysJson from "../../vectors/keys.json" with { type: "json" };
import type { KeyPair } from "../keys.ts";
import { importOpeningKey, type OpeningKey } from "../open.ts";

/** The key pairs of vectors/keys.json. Everybody has them: they protect nothing. */
export type VectorKeyName = keyof typeof keysJson;

export interface VectorKeyPair extends KeyPair {
  readonly bits: number;
  readonly fingerprint: string;
}

// The file has these members; only `kty` is wider in the type that is read off JSON.
export const vectorKeys = keysJson as unknown as Readonly<Record<VectorKeyName, VectorKeyPair>>;

export function importVectorKey(
  name: VectorKeyName,
  label: { formId?: string; keyVersion?: number } = {},
): Promise<OpeningKey> {
  return importOpeningKey(vectorKeys[name].privateKey, label);
}

import hybridKeysJson from "../../vectors/hybrid-keys.json" with { type: "json" };
import keysJson from "../../vectors/keys.json" with { type: "json" };
import type { HybridKeyPair } from "../hybrid-keys.ts";
import { findNativeKem, type Kem } from "../kem.ts";
import type { KeyPair } from "../keys.ts";
import { type AnyOpeningKey, importHybridOpeningKey, importOpeningKey, type OpeningKey } from "../open.ts";
import { nobleKem } from "./noble-kem.ts";

/** The key pairs of vectors/keys.json and hybrid-keys.json. Everybody has them: they protect nothing. */
export type RsaVectorKeyName = keyof typeof keysJson;
export type HybridVectorKeyName = keyof typeof hybridKeysJson;
export type VectorKeyName = RsaVectorKeyName | HybridVectorKeyName;

export interface VectorKeyPair extends KeyPair {
  readonly bits: number;
  readonly fingerprint: string;
}

export interface HybridVectorKeyPair extends HybridKeyPair {
  readonly fingerprint: string;
}

// The files have these members; only `kty` and `alg` are wider in the types that are read off JSON.
export const vectorKeys = keysJson as unknown as Readonly<Record<RsaVectorKeyName, VectorKeyPair>>;
export const hybridVectorKeys = hybridKeysJson as unknown as Readonly<Record<HybridVectorKeyName, HybridVectorKeyPair>>;

/** The runtime's own where there is one. */
export const anyKem: Kem = findNativeKem() ?? nobleKem;

interface Label {
  readonly formId?: string;
  readonly keyVersion?: number;
}

export function importVectorKey(name: RsaVectorKeyName, label?: Label): Promise<OpeningKey>;
export function importVectorKey(name: VectorKeyName, label?: Label, kem?: Kem): Promise<AnyOpeningKey>;
export function importVectorKey(name: VectorKeyName, label: Label = {}, kem: Kem = anyKem): Promise<AnyOpeningKey> {
  return isHybrid(name)
    ? importHybridOpeningKey(hybridVectorKeys[name].privateKey, label, kem)
    : importOpeningKey(vectorKeys[name].privateKey, label);
}

function isHybrid(name: VectorKeyName): name is HybridVectorKeyName {
  return Object.hasOwn(hybridVectorKeys, name);
}

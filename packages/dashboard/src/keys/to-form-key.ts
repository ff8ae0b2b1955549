import { toFormKey as createFormKey, type FormKey } from "@sealpost/envelope";
import type { HybridPrivateKey, PrivateKey } from "@sealpost/sdk";

/** The key of a key file, or a bare JWK, that was found usable. */
export function toFormKey(value: object, version: number): Promise<FormKey> {
  // These members have these types in a value that was read as a key.
  const { privateKey, hybridPrivateKey, seed } = ("privateKey" in value ? value : { privateKey: value }) as {
    readonly privateKey: PrivateKey;
    readonly hybridPrivateKey?: HybridPrivateKey;
    readonly seed?: string | null;
  };
  return createFormKey(version, privateKey, hybridPrivateKey, seed ?? undefined);
}

import { toFormKey as createFormKey, type FormKey } from "@sealpost/envelope";
import type { HybridPrivateKey, OpeningKey, PrivateKey } from "@sealpost/sdk";
import { parseKeyText, type Reading, readParsed, readText } from "../keys/read-key.ts";

/** A key that somebody brings to have it sealed: with its private half, which a key that is open can't give. */
export interface BroughtKey {
  readonly key: OpeningKey;
  /** As an envelope has it. */
  toFormKey(version: number): Promise<FormKey>;
}

/** Like `readKey`, for keys that go into an envelope. The private half stays in what this gives, and is gone with it. */
export async function readBroughtKey(
  bytes: Uint8Array<ArrayBuffer>,
  passphrase?: string,
): Promise<Reading<BroughtKey>> {
  const content = await readText(bytes, passphrase);
  const parsed = typeof content === "string" ? await parseKeyText(content) : content;
  if ("kind" in parsed) return parsed;
  const reading = await readParsed(parsed.value);
  if (reading.kind !== "found") return reading;
  const { key } = reading.found;
  return { kind: "found", found: { key, toFormKey: (version) => toFormKey(parsed.value, version) } };
}

/** The key of a key file, or a bare JWK, that was found usable. */
export function toFormKey(value: object, version: number): Promise<FormKey> {
  // These members have these types in a value that was read as a key.
  const { privateKey, hybridPrivateKey, seed } = ("privateKey" in value ? value : { privateKey: value }) as {
    readonly privateKey: PrivateKey;
    readonly hybridPrivateKey?: HybridPrivateKey;
    readonly seed?: string;
  };
  return createFormKey(version, privateKey, hybridPrivateKey, seed);
}

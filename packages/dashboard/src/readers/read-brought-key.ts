import type { FormKey } from "@sealpost/envelope";
import type { OpeningKey } from "@sealpost/sdk";
import { parseKeyText, type Reading, readParsed, readText } from "../keys/read-key.ts";
import { toFormKey } from "../keys/to-form-key.ts";

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

import { type KeyLogHead, verifyKeyLog } from "@sealpost/wire";
import type { FormKey } from "../envelope-content.ts";
import { createKeyLogEntry } from "../key-log-entry.ts";
import { formId } from "./envelope-maker.ts";
import { findPersonalKey, toSigner } from "./people.ts";

/** A form's key log by its owner, with so many entries that name one key; no two calls make the same log. */
export async function createLog(key: FormKey, count: number) {
  return createLogOf(Array.from({ length: count }, () => key));
}

/** The same with an entry for each of these keys, in this order. */
export async function createLogOf(keys: readonly Pick<FormKey, "version" | "fingerprint">[]) {
  const { signingKey } = await toSigner("owner");
  const publicKey = (await findPersonalKey("owner")).signingKey;
  let text = "";
  const heads: KeyLogHead[] = [];
  for (const { version, fingerprint } of keys) {
    const before = await verified(text);
    const logged = { version, fingerprint, hybridFingerprint: null, replyKey: null };
    const content = { formId, key: logged, owners: [publicKey], managers: [] };
    made += 1;
    text += await createKeyLogEntry(before, content, { publicKey, signingKey }, made * 1000);
    heads.push((await verified(text))?.head ?? missing());
  }
  return { text, heads, last: heads.at(-1) ?? missing() };
}

let made = 0;

async function verified(text: string) {
  if (text === "") return undefined;
  const log = await verifyKeyLog(new TextEncoder().encode(text), { formId });
  if (typeof log === "string") throw new Error(log);
  return log;
}

function missing(): never {
  throw new Error("There is no entry");
}

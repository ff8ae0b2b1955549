import { openKeyCopy, type PersonalKey, RefusalError } from "@sealpost/envelope";
import { type CopySecretGiven, secretOf } from "./copy-secret.ts";
import type { AskPasskey } from "./passkey-prf.ts";

export interface CopyToCheck {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly secret: CopySecretGiven;
}

/** Whether a copy that the server gave back opens to this very key, so that it can be counted on. */
export async function checkCopy(
  { recipient, signingKey, seed }: PersonalKey,
  { file, secret }: CopyToCheck,
  askPasskey: AskPasskey,
): Promise<"opens" | RefusalError> {
  const opened = await openKeyCopy(file, secretOf(secret, askPasskey), { recipient, signingKey });
  if (opened instanceof Error) return opened;
  // The public halves say nothing about it.
  return opened.seed === seed ? "opens" : new RefusalError("other_key");
}

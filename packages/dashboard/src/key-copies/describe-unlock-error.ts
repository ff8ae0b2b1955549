import { RefusalError } from "@sealpost/envelope";
import { PasskeyRefused } from "../api/passkey-api.ts";
import type { KeyCopy, Way } from "../personal-key/personal-key-api.ts";
import { text } from "../texts/text.ts";
import { PasskeyWithoutPrf } from "./passkey-without-prf.ts";

const { personalKey } = text;

const texts = personalKey.unlock;

/** The quickest first. */
const order: readonly Way[] = ["passkey", "passphrase", "sheet", "device"];

/** The ways that the person has. Another device on which the key is open needs no copy. */
export function waysOf(copies: readonly KeyCopy[]): readonly Way[] {
  return order.filter((way) => way === "device" || copies.some((copy) => copy.way === way && copy.removedAt === null));
}

/** The sentence for a secret that opens nothing; `undefined` for an error of another kind, or for none. */
export function describeUnlockError(error: unknown, wrongSecret: string): string | undefined {
  if (error instanceof PasskeyWithoutPrf) return texts.passkeyWithoutPrf;
  if (error instanceof PasskeyRefused) return error.message;
  if (!(error instanceof RefusalError)) return undefined;
  if (error.reason === "wrong_secret") return wrongSecret;
  if (error.reason === "unknown_extension") return texts.newer;
  return error.reason === "other_key" ? texts.otherKey : texts.damaged;
}

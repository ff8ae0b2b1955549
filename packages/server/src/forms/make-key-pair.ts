import { type AccountId, generateKeyPair, type KeyPair, type PublicKey } from "@sealpost/wire";
import { createFairQueue, type FairQueue } from "../rate-limits/fair-queue.ts";

/** The caller's own public key, or a fresh pair whose private half goes into the answer and nowhere else. */
export type MakeKeyPair = (
  accountId: AccountId,
  ownKey: PublicKey | undefined,
) => Promise<KeyPair | { readonly publicKey: PublicKey }>;

/**
 * A pair takes up to seconds of a core, on the few threads that hash passwords and read files too. One at a time, so that
 * the last of one account's waits for about half a minute, and a sign-in for none of them.
 */
const queueOptions = {
  runningMax: 1,
  waitingMax: 128,
  waitingMaxOfOne: 32,
  message: "Too many key pairs are being made at this moment. Please try again, or send a publicKey of your own.",
  retrySeconds: 10,
} as const;

export function createMakeKeyPair(
  queue: FairQueue = createFairQueue(queueOptions),
  generate: () => Promise<KeyPair> = generateKeyPair,
): MakeKeyPair {
  return async (accountId, ownKey) => (ownKey === undefined ? queue.run(accountId, generate) : { publicKey: ownKey });
}

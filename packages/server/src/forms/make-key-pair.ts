import {
  fingerprint,
  generateHybridKeyPair,
  generateKeyPair,
  type HybridPrivateKey,
  type HybridPublicKey,
  hybridFingerprint,
  type KeyPair,
  type PrivateKey,
  type PublicKey,
} from "@sealpost/wire";
import type { Asker } from "../rate-limits/fair-line.ts";
import { createFairQueue, type FairQueue } from "../rate-limits/fair-queue.ts";
import type { FormKey } from "./form.ts";
import type { WantedKeys } from "./form-input.ts";

/** The keys of a new version. Private ones are there where the service made them: they go into the answer and nowhere else. */
export interface MadeKeys {
  readonly publicKey: PublicKey;
  readonly privateKey?: PrivateKey;
  readonly hybridPublicKey?: HybridPublicKey;
  readonly hybridPrivateKey?: HybridPrivateKey;
}

export function isHybrid(wanted: WantedKeys): boolean {
  return wanted.maker === "owner" ? wanted.hybridPublicKey !== undefined : wanted.isHybrid;
}

/** A new version of a form's keys, which nobody has proved yet. */
export async function toFormKey(
  { publicKey, hybridPublicKey }: MadeKeys,
  about: Pick<FormKey, "version" | "createdAt" | "madeBy">,
): Promise<FormKey> {
  return {
    ...about,
    publicKey,
    fingerprint: await fingerprint(publicKey),
    hybrid: hybridPublicKey && { publicKey: hybridPublicKey, fingerprint: await hybridFingerprint(hybridPublicKey) },
    provedAt: undefined,
  };
}

/** The caller's own public keys, or fresh pairs. */
export type MakeKeyPair = (asker: Asker, wanted: WantedKeys) => Promise<MadeKeys>;

/**
 * A pair takes up to seconds of a core, on the few threads that hash passwords and read files too. One at a time, so that
 * the last of one person's waits for about half a minute, and a sign-in for none of them.
 */
const queueOptions = {
  runningMax: 1,
  waitingMax: 128,
  waitingMaxOfOne: 32,
  message: "Too many key pairs are being made at this moment. Please try again, or send a publicKey of your own.",
  retrySeconds: 10,
} as const;

export function createKeyPairQueue(): FairQueue {
  return createFairQueue(queueOptions);
}

export function createMakeKeyPair(
  queue: FairQueue = createKeyPairQueue(),
  generate: () => Promise<KeyPair> = generateKeyPair,
): MakeKeyPair {
  return async (asker, wanted) => {
    if (wanted.maker === "owner") {
      const { publicKey, hybridPublicKey } = wanted;
      return { publicKey, ...(hybridPublicKey && { hybridPublicKey }) };
    }
    const pair = await queue.run(asker, generate);
    if (!wanted.isHybrid) return pair;
    // Takes no time to speak of: the seed is random bytes.
    const { publicKey: hybridPublicKey, privateKey: hybridPrivateKey } = await generateHybridKeyPair();
    return { ...pair, hybridPublicKey, hybridPrivateKey };
  };
}

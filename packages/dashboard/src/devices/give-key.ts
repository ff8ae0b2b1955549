import {
  createChallenge,
  type DeviceReveal,
  deviceCode,
  isRevealOf,
  type NewDevice,
  type PublicHalves,
} from "@sealpost/envelope";
import { type DeviceApi, isOver, type PassedRequest } from "./device-api.ts";

/** Where the open device is. `other`: the code that was read is another device's. `wrong`: somebody is between the two. */
export type Giving =
  | { readonly kind: "waiting" }
  /** The new device is the one whose code was read. Both show the same digits, where nobody else has read it. */
  | { readonly kind: "scanned"; readonly code: string; readonly reveal: DeviceReveal }
  | { readonly kind: "compare"; readonly code: string; readonly reveal: DeviceReveal }
  | { readonly kind: "ended" }
  | { readonly kind: "other" }
  | { readonly kind: "wrong" };

export interface Giver {
  readonly requestId: string;
  readonly commitment: string;
  look(): Promise<Giving>;
}

/** A device that asks, other than this one; `undefined` where none does. */
export async function findAsking(api: DeviceApi): Promise<PassedRequest | undefined> {
  const found = await api.find();
  return found?.isOwn === false && found.challenge === null ? found : undefined;
}

/**
 * The open device's half of SPECIFICATION.md section 21, for a request that is there. `scanned` is what its camera has read. It challenges once, with
 * what the request said until then.
 */
export function createGiver(
  api: DeviceApi,
  personId: string,
  own: PublicHalves,
  { id: requestId, commitment }: Pick<PassedRequest, "id" | "commitment">,
  scanned?: Pick<NewDevice, "commitment" | "secret">,
): Giver {
  const request = { requestId, personId, commitment };
  const isOther = scanned !== undefined && scanned.commitment !== commitment;
  const challenging = isOther ? undefined : createChallenge(request, own, scanned?.secret);
  let isSent = false;
  let reveal: DeviceReveal | undefined;

  async function look(): Promise<Giving> {
    if (challenging === undefined) return { kind: "other" };
    const challenge = await challenging;
    if (!isSent) await api.challenge(requestId, challenge);
    isSent = true;
    const passed = await api.find();
    if (passed?.id !== requestId) return { kind: "ended" };
    if (reveal === undefined) {
      if (passed.reveal === null) return { kind: "waiting" };
      if (!(await isRevealOf(commitment, passed.reveal))) return { kind: "wrong" };
      reveal = passed.reveal;
    }
    const code = await deviceCode(request, challenge, reveal);
    return { kind: scanned === undefined ? "compare" : "scanned", reveal, code };
  }

  return {
    requestId,
    commitment,
    look: () =>
      look().catch((error): Giving => {
        if (isOver(error)) return { kind: "ended" };
        throw error;
      }),
  };
}

import { type DeviceChallenge, deviceCode, isChallengeRight, type NewDevice } from "@sealpost/envelope";
import { type DeviceApi, isOver, toBytes } from "./device-api.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Where a new device is. `ended`: another one asks by now, or time is up. `wrong`: somebody is between the two. */
export type Receiving =
  | { readonly kind: "waiting" }
  /** Another device has answered. Its person says whether it has scanned the code, before anything of the answer is taken. */
  | { readonly kind: "asked" }
  | { readonly kind: "compare"; readonly code: string }
  /** The other device has read the code, or its person has said that the codes are the same; its answer is yet to come. Both show the same digits. */
  | { readonly kind: "trusted"; readonly code: string; readonly isScanned: boolean }
  | {
      readonly kind: "answered";
      readonly challenge: DeviceChallenge;
      readonly copy: Bytes;
      readonly heads: Bytes;
      /** Where nobody has compared the digits yet. */
      readonly code: string | undefined;
    }
  | { readonly kind: "ended" }
  | { readonly kind: "wrong" };

export interface Receiver {
  readonly requestId: string;
  readonly commitment: string;
  /** Looks what the other device has said, and takes the next step. */
  look(): Promise<Receiving>;
  /** Its person says whether the other device has scanned the code. The first word counts. */
  say(isScanned: boolean): void;
  /** Its person says that both devices show the same code. */
  confirm(): void;
}

/** The new device's half of SPECIFICATION.md section 21. Everything is taken once: what a server shows later changes nothing. */
export async function createReceiver(api: DeviceApi, personId: string, device: NewDevice): Promise<Receiver> {
  const { commitment, reveal, secret } = device;
  const { id: requestId } = await api.create(commitment);
  const request = { requestId, personId, commitment };
  let taken: DeviceChallenge | undefined;
  let isScanned: boolean | undefined;
  let isConfirmed = false;
  let isRevealed = false;
  let isWrong = false;

  async function look(): Promise<Receiving> {
    if (isWrong) return { kind: "wrong" };
    const passed = await api.find();
    if (passed?.id !== requestId) return { kind: "ended" };
    if (taken === undefined) {
      if (passed.challenge === null) return { kind: "waiting" };
      if (isScanned === undefined) return { kind: "asked" };
      const { challenge } = passed;
      isWrong = !(await isChallengeRight(request, challenge, isScanned ? secret : undefined));
      if (isWrong) return { kind: "wrong" };
      taken = challenge;
    }
    // Not before: a server that knew it could choose a challenge with which the codes are the same.
    if (!isRevealed) await api.reveal(requestId, reveal);
    isRevealed = true;
    const code = await deviceCode(request, taken, reveal);
    if (!isScanned && !isConfirmed) return { kind: "compare", code };
    if (passed.answer === null) return { kind: "trusted", code, isScanned: isScanned === true };
    const { copy, heads } = passed.answer;
    const unseen = isScanned ? code : undefined;
    return { kind: "answered", challenge: taken, copy: toBytes(copy), heads: toBytes(heads), code: unseen };
  }

  return {
    requestId,
    commitment,
    look: () =>
      look().catch((error): Receiving => {
        if (isOver(error)) return { kind: "ended" };
        throw error;
      }),
    say: (answer) => {
      isScanned ??= answer;
    },
    confirm: () => {
      isConfirmed = true;
    },
  };
}

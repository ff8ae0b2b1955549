import { type DeviceHeads, type PersonalKey, sealDeviceHeads } from "@sealpost/envelope";

export interface HeadsToSeal {
  readonly heads: DeviceHeads;
  /** The new device's. */
  readonly commitment: string;
  readonly personId: string;
  /** The new device's recipient. */
  readonly recipient: string;
}

/** The heads that this browser has seen, for another device of the same person, signed with the open key. */
export function sealHeads(
  { signingSeed }: PersonalKey,
  { heads, ...to }: HeadsToSeal,
): Promise<Uint8Array<ArrayBuffer>> {
  return sealDeviceHeads(heads, { ...to, signingSeed });
}

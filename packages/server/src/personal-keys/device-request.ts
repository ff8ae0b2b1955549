import { findCopyKind } from "@sealpost/envelope/form";
import { decodeBase64Url } from "@sealpost/wire";
import { findHalvesErrors } from "./personal-key.ts";

/** A handover of a personal key between two devices of a person, as the service passes it on (specification, section 21). It decides nothing. */
export interface DeviceRequest {
  readonly id: string;
  /** The new device's. */
  readonly sessionId: string;
  readonly commitment: string;
  readonly expiresAt: number;
  readonly givingSessionId: string | undefined;
  readonly challenge: DeviceChallenge | undefined;
  readonly reveal: DeviceReveal | undefined;
  readonly answer: DeviceAnswer | undefined;
}

export interface DeviceChallenge {
  readonly recipient: string;
  readonly signingKey: string;
  readonly nonce: string;
  readonly proof: string | null;
}

export interface DeviceReveal {
  readonly recipient: string;
  readonly nonce: string;
}

/** Two age files, in base64url, which the new device alone opens. */
export interface DeviceAnswer {
  readonly copy: string;
  readonly heads: string;
}

/** Time to walk to the other device, and no more. */
export const deviceRequestMilliseconds = 10 * 60_000;
/** Largest body of an answer, in which both files are base64url: the heads have 1 MiB at most. */
export const deviceAnswerBytesMax = 1_450_000;

export function findChallengeErrors(challenge: DeviceChallenge): Readonly<Record<string, string | undefined>> {
  return findHalvesErrors(challenge);
}

export function findAnswerErrors({ copy }: DeviceAnswer): Readonly<Record<string, string | undefined>> {
  const bytes = decodeBase64Url(copy);
  const isCopy = bytes !== undefined && findCopyKind(bytes) === "identity";
  return { copy: isCopy ? undefined : "Must be for the other key: a copy with the way device" };
}

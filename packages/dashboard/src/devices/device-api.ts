import type { DeviceChallenge, DeviceReveal } from "@sealpost/envelope";
import { ApiError, type Client } from "@sealpost/sdk";
import { decodeBase64Url } from "@sealpost/wire";

type Bytes = Uint8Array<ArrayBuffer>;
/** As the server passes it on; nothing of it is believed. */
export type PassedRequest = NonNullable<Awaited<ReturnType<Client["deviceRequests"]["find"]>>>;

/** A handover between two devices, over the server. */
export interface DeviceApi {
  find(): Promise<PassedRequest | undefined>;
  create(commitment: string): Promise<PassedRequest>;
  challenge(requestId: string, challenge: DeviceChallenge): Promise<unknown>;
  reveal(requestId: string, reveal: DeviceReveal): Promise<unknown>;
  answer(requestId: string, answer: { readonly copy: Bytes; readonly heads: Bytes }): Promise<unknown>;
  end(requestId: string): Promise<unknown>;
}

/** Empty, which nothing opens, where it is no base64url. */
export function toBytes(text: string): Bytes {
  return decodeBase64Url(text) ?? new Uint8Array();
}

/** Whether another device took the step, or the request has ended. */
export function isOver(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409);
}

import type { FetchBody } from "openid-client";

/** A request of the protocol's library. */
export interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: FetchBody;
  readonly signal?: AbortSignal | undefined;
}

/** Far above every discovery document, set of keys, and token with two hundred groups. */
export const answerBytesMax = 1024 * 1024;

import { type AgeRequest, answerAge } from "@sealpost/vault";
import { answerPool, type PoolRequest } from "./answer-pool.ts";

/** In the place of `keys/age-worker.ts`: key files, and what the opener opens besides. One worker, so that its code is there once. */
self.onmessage = async ({ data }: MessageEvent<AgeRequest | PoolRequest>) =>
  self.postMessage(await (data.act === "look" || data.act === "open" ? answerPool(data) : answerAge(data)));

import { normalizePassphrase } from "@sealpost/envelope";
import { type AgeAnswer, type AgeRequest, answerAge } from "../keys/answer-age.ts";
import { answerPool, type PoolRequest } from "./answer-pool.ts";

/** In the place of `keys/age-worker.ts`: key files, and what the opener opens besides. One worker, so that its code is there once. */
self.onmessage = async ({ data }: MessageEvent<AgeRequest | PoolRequest>) =>
  self.postMessage(await (data.act === "look" || data.act === "open" ? answerPool(data) : answerWithPassphrase(data)));

/** A key file has the passphrase as it was typed; a copy of a personal key in one spelling. */
async function answerWithPassphrase(request: AgeRequest): Promise<AgeAnswer> {
  const answer = await answerAge(request);
  const passphrase = normalizePassphrase(request.passphrase);
  const isOther = request.act === "decrypt" && passphrase !== request.passphrase;
  return answer.outcome === "wrong_passphrase" && isOther ? answerAge({ ...request, passphrase }) : answer;
}

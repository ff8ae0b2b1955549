import { RefusalError } from "@sealpost/envelope";
import type { KeyAgent } from "@sealpost/sdk/envelopes";
import { askPersonalKey } from "./personal-key.ts";

/** The open personal key, in whichever tab it is. */
export const keyOperations: KeyAgent = {
  signEntry: (entry) => orRefusal(askPersonalKey("signEntry", entry)),
  signKeyLogEntry: (entry) => orRefusal(askPersonalKey("signKeyLogEntry", entry)),
  signHead: (head) => orRefusal(askPersonalKey("signHead", head)),
  openEnvelope: (request) => orRefusal(askPersonalKey("openEnvelope", request)),
  readSigned: (request) => orRefusal(askPersonalKey("readSigned", request)),
  sealEnvelope: (request) => orRefusal(askPersonalKey("sealEnvelope", request)),
};

async function orRefusal<Answer>(answer: Promise<Answer>): Promise<Answer | RefusalError> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RefusalError) return error;
    throw error;
  }
}

import { ApiError } from "@sealpost/sdk";
import { client } from "../api/client.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import type { EnvelopeApi } from "./context.ts";

/** The routes of this instance. What changes something asks for the password where the sign-in is too long ago. */
export const envelopeApi: Omit<EnvelopeApi, "reserveForm" | "createForm" | "hasForm" | "rotateKeys"> = {
  fetchList: () => orNone(client.memberList.get()),
  addEntry: (entry, head) => withFreshSession(() => client.memberList.add(entry, head)),
  listEnvelopes: async (formId) => (await client.envelopes.list(formId)).map(({ lowestVersion }) => lowestVersion),
  fetchEnvelope: (formId, firstVersion) => orNone(client.envelopes.get(formId, firstVersion)),
  storeEnvelope: (formId, firstVersion, file, previous) =>
    withFreshSession(() => client.envelopes.put(formId, firstVersion, file, previous)),
  fetchKeys: (formId) => client.forms.keys(formId),
};

async function orNone<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

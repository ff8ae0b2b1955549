import { createEnvelopeApi, createListApi } from "@sealpost/sdk/envelopes";
import { client } from "../api/client.ts";
import { reserveForm } from "../api/form-api.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import type { EnvelopeApi } from "./context.ts";

/** The routes of this instance. What changes something asks for the password where the sign-in is too long ago. */
export const envelopeApi: EnvelopeApi = {
  ...createEnvelopeApi(client, undefined, withFreshSession),
  ...createListApi(client, undefined, withFreshSession),
  fetchSignedHead: async (organizationId) =>
    (await client.signedHeads.list()).find((head) => head.organizationId === organizationId)?.signedHead,
  storeSignedHead: (organizationId, signedHead) => client.signedHeads.put(organizationId, signedHead),
  reserveForm,
};

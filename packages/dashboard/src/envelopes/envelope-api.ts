import { fetchParts } from "@sealpost/envelope";
import { orNone } from "@sealpost/sdk";
import { createEnvelopeApi } from "@sealpost/sdk/envelopes";
import { client } from "../api/client.ts";
import { reserveForm } from "../api/form-api.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import type { EnvelopeApi } from "./context.ts";

/** The routes of this instance. What changes something asks for the password where the sign-in is too long ago. */
export const envelopeApi: EnvelopeApi = {
  ...createEnvelopeApi(client, undefined, withFreshSession),
  fetchList: () =>
    fetchParts((entry) => orNone(entry === undefined ? client.memberList.get() : client.memberList.part(entry))),
  fetchNames: () => orNone(client.memberList.names()),
  addEntry: (entry, head, next) =>
    withFreshSession(() => client.memberList.add(entry, head, next === undefined ? {} : { next })),
  beginPart: (part, head) => withFreshSession(() => client.memberList.begin(part, head)),
  fetchSignedHead: async (organizationId) =>
    (await client.signedHeads.list()).find((head) => head.organizationId === organizationId)?.signedHead,
  storeSignedHead: (organizationId, signedHead) => client.signedHeads.put(organizationId, signedHead),
  reserveForm,
};

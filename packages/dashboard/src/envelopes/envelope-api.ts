import { orNone } from "@sealpost/sdk";
import { client } from "../api/client.ts";
import { hasForm, reserveForm } from "../api/form-api.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import type { EnvelopeApi } from "./context.ts";

/** The routes of this instance. What changes something asks for the password where the sign-in is too long ago. */
export const envelopeApi: EnvelopeApi = {
  fetchList: () => orNone(client.memberList.get()),
  fetchNames: () => orNone(client.memberList.names()),
  addEntry: (entry, head, next) =>
    withFreshSession(() => client.memberList.add(entry, head, next === undefined ? {} : { next })),
  fetchSignedHead: async (organizationId) =>
    (await client.signedHeads.list()).find((head) => head.organizationId === organizationId)?.signedHead,
  storeSignedHead: (organizationId, signedHead) => client.signedHeads.put(organizationId, signedHead),
  listEnvelopes: async (formId) => (await client.envelopes.list(formId)).map(({ lowestVersion }) => lowestVersion),
  async fetchEnvelope(formId, firstVersion, revision) {
    if (revision === undefined) return client.envelopes.getNewest(formId, firstVersion);
    const file = await orNone(client.envelopes.get(formId, firstVersion, { revision }));
    return file && { file, revision };
  },
  findNewest: async (formId, firstVersion) =>
    (await client.envelopes.list(formId)).find(({ lowestVersion }) => lowestVersion === firstVersion),
  storeEnvelope: (formId, firstVersion, file, previous) =>
    withFreshSession(() => client.envelopes.put(formId, firstVersion, file, previous)),
  fetchKeys: (formId) => client.forms.keys(formId),
  fetchKeyLog: async (formId) => (await orNone(client.forms.keyLog(formId))) ?? new Uint8Array(),
  addKeyLogEntry: (formId, entry, before) => withFreshSession(() => client.forms.addKeyLogEntry(formId, entry, before)),
  reserveForm,
  createForm: (form) => withFreshSession(() => client.forms.create(form)),
  hasForm,
  rotateKeys: (formId, { previous, ...rotation }) =>
    withFreshSession(() => client.forms.rotateKeys(formId, { ...rotation, ...(previous && { before: previous }) })),
};

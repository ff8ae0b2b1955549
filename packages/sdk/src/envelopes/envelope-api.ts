import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import { orNone } from "../client/or-none.ts";
import type { EnvelopeApi } from "./envelope-client.ts";

/** Runs what changes something at the service: a page asks for the password first, where the sign-in is too long ago. */
export type SendChange = <Answer>(send: () => Promise<Answer>) => Promise<Answer>;

/** The requests of an instance. */
export function createEnvelopeApi(
  { envelopes, forms }: Pick<Client, "envelopes" | "forms">,
  options?: CallOptions,
  sendChange: SendChange = (send) => send(),
): EnvelopeApi {
  return {
    listEnvelopes: async (formId) => (await envelopes.list(formId, options)).map(({ lowestVersion }) => lowestVersion),
    async fetchEnvelope(formId, firstVersion, revision) {
      if (revision === undefined) return envelopes.getNewest(formId, firstVersion, options);
      const file = await orNone(envelopes.get(formId, firstVersion, { revision }, options));
      return file && { file, revision };
    },
    findNewest: async (formId, firstVersion) =>
      (await envelopes.list(formId, options)).find(({ lowestVersion }) => lowestVersion === firstVersion),
    async listRevisions(formId, firstVersion, cursor) {
      const page = await envelopes.listRevisions(
        formId,
        firstVersion,
        { ...(cursor !== undefined && { cursor }) },
        options,
      );
      return { revisions: page.revisions, next: page.nextCursor ?? undefined };
    },
    storeEnvelope: (formId, firstVersion, file, previous) =>
      sendChange(() => envelopes.put(formId, firstVersion, file, previous, options)),
    fetchKeys: (formId) => forms.keys(formId, options),
    fetchKeyLog: async (formId) => (await orNone(forms.keyLog(formId, 1, options))) ?? new Uint8Array(),
    addKeyLogEntry: (formId, entry, before) => sendChange(() => forms.addKeyLogEntry(formId, entry, before, options)),
    removeKeyLog: (formId) => sendChange(() => forms.removeKeyLog(formId, options)),
    createForm: (form) => sendChange(() => forms.create(form, options)),
    rotateKeys: (formId, { previous, ...rotation }) =>
      sendChange(() => forms.rotateKeys(formId, { ...rotation, ...(previous && { before: previous }) }, options)),
  };
}

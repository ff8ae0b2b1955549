import { encodeBase64Url } from "@sealpost/wire";
import type { CallOptions, Calls } from "./call.ts";
import { orNone } from "./or-none.ts";
import { sortList } from "./sort-list.ts";
import { afterTag, numberOf, toTag, unlessTag } from "./version-tag.ts";

/** A revision of an envelope: its number, and the hash of its bytes. */
export interface EnvelopeVersion {
  readonly revision: number;
  readonly hash: string;
}

const one = "GET /api/forms/{form_id}/envelopes/{lowest_version}";

export const tagOf = (version: EnvelopeVersion | undefined) => version && toTag(version.revision, version.hash);

/** The private keys of forms, sealed for their readers. `@sealpost/envelope` makes and opens them. */
export function createEnvelopesClient({ call, bytes }: Calls) {
  return {
    /** The newest revision of each of the form's envelopes, by key versions, whatever the order in which the server gives them. */
    list: async (formId: string, options?: CallOptions) => {
      const answer = await call("GET /api/forms/{form_id}/envelopes", { path: { form_id: formId } }, options);
      return sortList(answer.envelopes, (one, other) => one.lowestVersion - other.lowestVersion);
    },
    /** The revisions of an envelope that the service has, newest first, up to 100 at a time, without their bytes. */
    listRevisions: (
      formId: string,
      lowestVersion: number,
      { limit, cursor }: { readonly limit?: number; readonly cursor?: string } = {},
      options?: CallOptions,
    ) => {
      const path = { form_id: formId, lowest_version: String(lowestVersion) };
      const query = { limit: limit ?? 100, ...(cursor !== undefined && { cursor }) };
      return call(`${one}/revisions`, { path, query }, options);
    },
    /** Until when the envelopes that were removed last can be restored; null where there are none. */
    restorableUntil: async (formId: string, options?: CallOptions) =>
      (await call("GET /api/forms/{form_id}/envelopes", { path: { form_id: formId } }, options)).restorableUntil,
    /** Takes the form back to key files. Wants a session token of an owner. */
    remove: (formId: string, options?: CallOptions) =>
      call("DELETE /api/forms/{form_id}/envelopes", { path: { form_id: formId } }, options),
    /** When envelopes were taken out of use that can be restored, the latest first. */
    removals: async (formId: string, options?: CallOptions) => {
      const answer = await call("GET /api/forms/{form_id}/envelopes", { path: { form_id: formId } }, options);
      return sortList(answer.removals, (one, other) => other - one);
    },
    /** Restores the envelopes that were removed last, or at that time, within 30 days. Wants a session token of an owner. */
    restore: (formId: string, removedAt?: number, options?: CallOptions) => {
      const query = removedAt === undefined ? {} : { removedAt };
      return call("POST /api/forms/{form_id}/envelopes/restore", { path: { form_id: formId }, query }, options);
    },
    /** The bytes of an envelope, or of an older `revision`; `undefined` where that is still `known`. */
    get: async (
      formId: string,
      lowestVersion: number,
      { revision, known }: { readonly revision?: number; readonly known?: EnvelopeVersion } = {},
      options?: CallOptions,
    ): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const path = { form_id: formId, lowest_version: String(lowestVersion) };
      const query = revision === undefined ? {} : { revision };
      return (await bytes(one, { path, query, headers: unlessTag(tagOf(known)) }, options))?.bytes;
    },
    /** The newest revision with the number under which the server has it, which its content has to have too; `undefined` where there is none. */
    getNewest: async (
      formId: string,
      lowestVersion: number,
      options?: CallOptions,
    ): Promise<{ readonly file: Uint8Array<ArrayBuffer>; readonly revision: number } | undefined> => {
      const path = { form_id: formId, lowest_version: String(lowestVersion) };
      const answer = await orNone(bytes(one, { path }, options));
      if (answer === undefined) return undefined;
      return { file: answer.bytes, revision: numberOf(answer.tag) };
    },
    /**
     * Stores the revision that follows `before` (`undefined`: the first). Rejects with `precondition_failed` when somebody else was
     * faster: open theirs, and make the next one from that.
     */
    put: async (
      formId: string,
      lowestVersion: number,
      file: Uint8Array,
      before: EnvelopeVersion | undefined,
      options?: CallOptions,
    ) => {
      const path = { form_id: formId, lowest_version: String(lowestVersion) };
      const input = { path, body: { envelope: encodeBase64Url(file) }, headers: afterTag(tagOf(before)) };
      return (await call("PUT /api/forms/{form_id}/envelopes/{lowest_version}", input, options)).envelope;
    },
  };
}

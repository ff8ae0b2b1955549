import type { PublicKey } from "@sealpost/wire";
import type { Body, CallOptions, Calls, Query } from "./call.ts";
import { eachOf } from "./paging.ts";

const one = "GET /api/forms/{form_id}";
const listing = "GET /api/forms";
const creating = "POST /api/forms";

export type FormToCreate = Omit<Body<typeof creating>, "publicKey"> & { readonly publicKey?: PublicKey };

export function createFormsClient({ call }: Calls) {
  /** One page of forms, newest first. */
  const list = (query: Query<typeof listing> = {}, options?: CallOptions) => call(listing, { query }, options);
  return {
    list,
    /** All forms, newest first, fetched as they are consumed. */
    all: (options?: CallOptions) =>
      eachOf(
        (cursor) => list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) }, options),
        (page) => page.forms,
      ),
    /** One form with all its settings and its `embedCode`. */
    get: async (formId: string, options?: CallOptions) =>
      (await call(one, { path: { form_id: formId } }, options)).form,
    /**
     * Creates a form. With the `publicKey` of a pair of your own the server never sees the private key; without it the
     * answer holds the only copy of it.
     */
    create: async (body: FormToCreate, options?: CallOptions) => {
      // The document allows the one public exponent that the server takes; it refuses any other.
      return (await call(creating, { body: body as Body<typeof creating> }, options)).form;
    },
  };
}

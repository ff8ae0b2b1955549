import type { Body, CallOptions, Calls } from "./call.ts";

/**
 * The personal key of the person who asks: its public halves, and sealed copies that the service can't open. Files are age files in
 * base64url. These endpoints want a session token; changes, one that was signed in within the last 60 minutes.
 */
export function createPersonalKeyClient({ call }: Calls) {
  return {
    /** The public halves, `null` without a key, and the list of copies without their files. Wrap nothing to a key because a server names it. */
    get: (options?: CallOptions) => call("GET /api/account/personal-key", {}, options),
    /** Once: stores the public halves and the first copies, one of them for a recovery sheet. */
    create: (key: Body<"POST /api/account/personal-key">, options?: CallOptions) =>
      call("POST /api/account/personal-key", { body: key }, options),
    /** Puts another key in the place of the one in use, which is kept for 30 days. `replaces` is its signing key: 409 if it is another by now. */
    replace: (key: Body<"PUT /api/account/personal-key">, options?: CallOptions) =>
      call("PUT /api/account/personal-key", { body: key }, options),
    /** Brings back a key that was replaced within 30 days. The one in use becomes a former one. */
    restore: (key: Body<"POST /api/account/personal-key/restore">, options?: CallOptions) =>
      call("POST /api/account/personal-key/restore", { body: key }, options),
    /** The file of a copy that was not removed. */
    getCopy: async (copyId: string, options?: CallOptions) =>
      (await call("GET /api/account/key-copies/{copy_id}", { path: { copy_id: copyId } }, options)).file,
    addCopy: async (copy: Body<"POST /api/account/key-copies">, options?: CallOptions) =>
      (await call("POST /api/account/key-copies", { body: copy }, options)).copy,
    /** For 30 days it can be restored. */
    removeCopy: async (copyId: string, options?: CallOptions) =>
      (await call("DELETE /api/account/key-copies/{copy_id}", { path: { copy_id: copyId } }, options)).copy,
    restoreCopy: async (copyId: string, options?: CallOptions) =>
      (await call("POST /api/account/key-copies/{copy_id}/restore", { path: { copy_id: copyId } }, options)).copy,
  };
}

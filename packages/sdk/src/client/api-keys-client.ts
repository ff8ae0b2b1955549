import type { Body, CallOptions, Calls } from "./call.ts";

/** API keys of the account. These endpoints want a session token: an API key cannot make another one. */
export function createApiKeysClient({ call }: Calls) {
  return {
    list: (options?: CallOptions) => call("GET /api/api-keys", {}, options),
    /** Creates a key. `key.key` is its only copy. All four permissions unless `permissions` names fewer. */
    create: (body: Body<"POST /api/api-keys">, options?: CallOptions) => call("POST /api/api-keys", { body }, options),
    revoke: async (keyId: string, options?: CallOptions) =>
      (await call("DELETE /api/api-keys/{key_id}", { path: { key_id: keyId } }, options)).revoked,
  };
}

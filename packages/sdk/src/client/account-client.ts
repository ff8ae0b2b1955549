import type { CallOptions, Calls } from "./call.ts";

/** The account as a whole; and the person who asks, which wants a session token. */
export function createAccountClient({ call }: Calls) {
  return {
    /** How much the account's submissions take, and may take. */
    usage: async (options?: CallOptions) => (await call("GET /api/usage", {}, options)).usage,
    /** Makes what the organization stores count towards the caller, who must be an owner, once the person it counted towards has left. */
    takeOverUsage: (options?: CallOptions) => call("POST /api/usage/take-over", {}, options),
    /** The person who asks. */
    get: async (options?: CallOptions) => (await call("GET /api/account", {}, options)).account,
    rename: async (name: string, options?: CallOptions) =>
      (await call("PATCH /api/account", { body: { name } }, options)).account,
    /** Asks for another address, which it and the one before have to confirm by emailed links. */
    move: async (email: string, options?: CallOptions) =>
      (await call("POST /api/account/address", { body: { email } }, options)).account,
    /** Ends a move that still waits. */
    cancelMove: async (options?: CallOptions) => (await call("DELETE /api/account/address", {}, options)).account,
    /** The organizations that would go with the account, and when it goes, if that was asked for. */
    deletion: (options?: CallOptions) => call("GET /api/account/deletion", {}, options),
    /** Deletes the account after 30 days. Every session ends. */
    delete: (options?: CallOptions) =>
      call("POST /api/account/deletion", { query: { confirm: "DELETE_ACCOUNT" } }, options),
    /** Keeps the account after all. */
    keep: async (options?: CallOptions) => (await call("DELETE /api/account/deletion", {}, options)).account,
    /** Everything that the instance knows about the person who asks. */
    export: (options?: CallOptions) => call("GET /api/account/export", {}, options),
  };
}

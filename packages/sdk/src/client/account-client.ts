import type { CallOptions, Calls } from "./call.ts";

/** The account as a whole. */
export function createAccountClient({ call }: Calls) {
  return {
    /** How much the account's submissions take, and may take. */
    usage: async (options?: CallOptions) => (await call("GET /api/usage", {}, options)).usage,
  };
}

import type { CallOptions, Calls } from "./call.ts";

/**
 * Heads of signed lists that the person who asks has signed with their own key, for other devices of theirs (specification, section 22). `@sealpost/envelope`
 * makes and verifies them. These endpoints want a session token.
 */
export function createSignedHeadsClient({ call }: Calls) {
  return {
    /** Those of the key in use, at most one for each organization. */
    list: async (options?: CallOptions) => (await call("GET /api/account/signed-heads", {}, options)).signedHeads,
    /** Gives the one that is kept: of two, the one that names the later entry. */
    put: async (organizationId: string, signedHead: string, options?: CallOptions) => {
      const request = { path: { organization_id: organizationId }, body: { signedHead } };
      return (await call("PUT /api/account/signed-heads/{organization_id}", request, options)).signedHead;
    },
  };
}

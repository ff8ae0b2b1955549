import type { Body, CallOptions, Calls } from "./call.ts";

/** The organizations of the person who asks. These endpoints want a session token, as do members and invitations. */
export function createOrganizationsClient({ call }: Calls) {
  return {
    /** With which of them the session acts for, and whether the person may make another one. */
    list: (options?: CallOptions) => call("GET /api/organizations", {}, options),
    create: async (body: Body<"POST /api/organizations">, options?: CallOptions) =>
      (await call("POST /api/organizations", { body }, options)).organization,
    /** From the answer on the session, with its tokens, acts for this organization. */
    switchTo: async (organizationId: string, options?: CallOptions) => {
      const path = { organization_id: organizationId };
      return (await call("POST /api/organizations/{organization_id}/switch", { path }, options)).organization;
    },
    /** The time at which it starts to require a second factor of its members; null: it does not. */
    requireSecondFactor: (requiredFrom: number | null, options?: CallOptions) =>
      call("PUT /api/organization/second-factor", { body: { requiredFrom } }, options),
    /** Whether it takes envelopes only while its signed list of members has a recovery key. */
    requireRecovery: (requireRecovery: boolean, options?: CallOptions) =>
      call("PUT /api/organization/recovery", { body: { requireRecovery } }, options),
    /** Renames the one that the session acts for. */
    rename: async (body: Body<"PATCH /api/organization">, options?: CallOptions) =>
      (await call("PATCH /api/organization", { body }, options)).organization,
    /** Deletes the one that the session acts for, after 30 days. Wants an owner. */
    delete: (options?: CallOptions) =>
      call("POST /api/organization/deletion", { query: { confirm: "DELETE_ORGANIZATION" } }, options),
    /** Keeps it after all. */
    keep: async (options?: CallOptions): Promise<void> => {
      await call("DELETE /api/organization/deletion", {}, options);
    },
  };
}

import type { Body, CallOptions, Calls } from "./call.ts";

/** The members of the organization that the session acts for. */
export function createMembersClient({ call }: Calls) {
  return {
    /** The oldest first. */
    list: (options?: CallOptions) => call("GET /api/members", {}, options),
    change: async (memberId: string, body: Body<"PATCH /api/members/{member_id}">, options?: CallOptions) =>
      (await call("PATCH /api/members/{member_id}", { path: { member_id: memberId }, body }, options)).member,
    /**
     * Their sessions act for the organization no longer, and the API keys that they made are revoked. `webhookForms`: those whose
     * webhook address they were the last to choose, which stays.
     */
    remove: async (memberId: string, options?: CallOptions) => {
      const path = { member_id: memberId };
      const { webhookForms } = await call("DELETE /api/members/{member_id}", { path }, options);
      return { webhookForms };
    },
    /** Ends the membership of the person who asks. */
    leave: async (options?: CallOptions): Promise<void> => {
      await call("POST /api/members/leave", {}, options);
    },
  };
}

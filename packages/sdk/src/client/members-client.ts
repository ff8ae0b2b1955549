import type { Body, CallOptions, Calls } from "./call.ts";

/** The members of the organization that the session acts for. */
export function createMembersClient({ call }: Calls) {
  return {
    /** The oldest first. */
    list: (options?: CallOptions) => call("GET /api/members", {}, options),
    /** `webhookForms`: forms that keep a webhook address which the member chose and could no longer choose now. */
    change: (memberId: string, body: Body<"PATCH /api/members/{member_id}">, options?: CallOptions) =>
      call("PATCH /api/members/{member_id}", { path: { member_id: memberId }, body }, options),
    /** Their sessions act for the organization no longer, and the API keys that they made are revoked. `webhookForms` as of `change`. */
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

import type { Body, CallOptions, Calls } from "./call.ts";

/** Invitations to the organization that the session acts for, and accepting one. */
export function createInvitationsClient({ call }: Calls) {
  return {
    /** The open ones, newest first, without their links. */
    list: (options?: CallOptions) => call("GET /api/invitations", {}, options),
    /** `url` is the only copy of the link. */
    create: (body: Body<"POST /api/invitations">, options?: CallOptions) =>
      call("POST /api/invitations", { body }, options),
    /** Takes one back. */
    revoke: async (invitationId: string, options?: CallOptions) =>
      (await call("DELETE /api/invitations/{invitation_id}", { path: { invitation_id: invitationId } }, options))
        .revoked,
    /** `token` is the part of the link after the #. Resolves to the id of the organization that the person belongs to now. */
    accept: async (token: string, options?: CallOptions) =>
      (await call("POST /api/invitations/accept", { body: { token } }, options)).organizationId,
  };
}

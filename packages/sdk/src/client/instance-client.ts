import type { Body, CallOptions, Calls, Query } from "./call.ts";

const account = "/api/instance/accounts/{account_id}";

/** The whole instance, for its operators: a session token of one who has a second factor. No API key reaches it. */
export function createInstanceClient({ call }: Calls) {
  return {
    /** With its health: what `sealpost-server doctor` finds from inside. */
    get: (options?: CallOptions) => call("GET /api/instance", {}, options),
    organizations: (query: Query<"GET /api/instance/organizations"> = {}, options?: CallOptions) =>
      call("GET /api/instance/organizations", { query }, options),
    setPlan: async (
      organizationId: string,
      body: Body<"PATCH /api/instance/organizations/{organization_id}">,
      options?: CallOptions,
    ) => {
      const path = { organization_id: organizationId };
      return (await call("PATCH /api/instance/organizations/{organization_id}", { path, body }, options)).organization;
    },
    accounts: (query: Query<"GET /api/instance/accounts"> = {}, options?: CallOptions) =>
      call("GET /api/instance/accounts", { query }, options),
    /** Disables or enables the account, or vouches for its address. */
    changeAccount: async (accountId: string, body: Body<`PATCH ${typeof account}`>, options?: CallOptions) =>
      (await call(`PATCH ${account}`, { path: { account_id: accountId }, body }, options)).account,
    /** How many there were. */
    endSessions: async (accountId: string, options?: CallOptions) =>
      (await call(`DELETE ${account}/sessions`, { path: { account_id: accountId } }, options)).ended,
    /** How many there were. */
    revokeKeys: async (accountId: string, options?: CallOptions) =>
      (await call(`DELETE ${account}/api-keys`, { path: { account_id: accountId } }, options)).ended,
    /** The open invitations to make an account. */
    invitations: async (options?: CallOptions) =>
      (await call("GET /api/instance/invitations", {}, options)).invitations,
    /** With the link, which no later answer shows. It replaces an open one for the same address. */
    invite: (body: Body<"POST /api/instance/invitations">, options?: CallOptions) =>
      call("POST /api/instance/invitations", { body }, options),
    revokeInvitation: async (invitationId: string, options?: CallOptions): Promise<void> => {
      const path = { invitation_id: invitationId };
      await call("DELETE /api/instance/invitations/{invitation_id}", { path }, options);
    },
    /** Emails that did not arrive, the newest first. */
    failedEmails: (query: Query<"GET /api/instance/emails"> = {}, options?: CallOptions) =>
      call("GET /api/instance/emails", { query }, options),
    retryMail: async (mailId: string, options?: CallOptions): Promise<void> => {
      await call("POST /api/instance/emails/{mail_id}/retry", { path: { mail_id: mailId } }, options);
    },
    /** The log of operators' changes, the newest first. */
    log: (query: Query<"GET /api/instance/log"> = {}, options?: CallOptions) =>
      call("GET /api/instance/log", { query }, options),
  };
}

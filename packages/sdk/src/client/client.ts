import { createAccountClient } from "./account-client.ts";
import { createAdmissionsClient } from "./admissions-client.ts";
import { createApiKeysClient } from "./api-keys-client.ts";
import { createAuditLogClient } from "./audit-log-client.ts";
import { type ClientOptions, createCalls } from "./call.ts";
import { createDeviceRequestsClient } from "./device-requests-client.ts";
import { createEnvelopesClient } from "./envelopes-client.ts";
import { createFormsClient } from "./forms-client.ts";
import { createInstanceClient } from "./instance-client.ts";
import { createInvitationsClient } from "./invitations-client.ts";
import { createMemberListClient } from "./member-list-client.ts";
import { createMembersClient } from "./members-client.ts";
import { createNotificationsClient } from "./notifications-client.ts";
import { createOrganizationsClient } from "./organizations-client.ts";
import { createPersonalKeyClient } from "./personal-key-client.ts";
import { createSessionsClient } from "./sessions-client.ts";
import { createSignedHeadsClient } from "./signed-heads-client.ts";
import { createSubmissionsClient } from "./submissions-client.ts";
import { createWebhooksClient } from "./webhooks-client.ts";

/**
 * The API of one instance, typed from its OpenAPI document. Every method rejects with an `ApiError` when the server refuses, and
 * takes `{ signal, retry }` last. Throws a TypeError on a `baseUrl` that is no address.
 */
export function createClient(options: ClientOptions) {
  const calls = createCalls(options);
  return {
    forms: createFormsClient(calls),
    envelopes: createEnvelopesClient(calls),
    submissions: createSubmissionsClient(calls),
    webhooks: createWebhooksClient(calls),
    apiKeys: createApiKeysClient(calls),
    auditLog: createAuditLogClient(calls),
    account: createAccountClient(calls),
    personalKey: createPersonalKeyClient(calls),
    deviceRequests: createDeviceRequestsClient(calls),
    notifications: createNotificationsClient(calls),
    organizations: createOrganizationsClient(calls),
    members: createMembersClient(calls),
    memberList: createMemberListClient(calls),
    admissions: createAdmissionsClient(calls),
    signedHeads: createSignedHeadsClient(calls),
    invitations: createInvitationsClient(calls),
    sessions: createSessionsClient(calls),
    instance: createInstanceClient(calls),
  };
}

export type Client = ReturnType<typeof createClient>;

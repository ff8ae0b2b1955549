import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { type AccountId, createId, type FormId } from "@sealpost/wire";
import { type Permission, permissions } from "../../packages/server/src/access/permission.ts";
import { createIdentityStore } from "../../packages/server/src/accounts/identity-store.ts";
import { createApiKeyStore } from "../../packages/server/src/api-keys/api-key-store.ts";
import {
  createApiKeyValue,
  hashApiKeyValue,
  prefixOf,
} from "../../packages/server/src/authentication/api-key-value.ts";
import { createInvitationStore } from "../../packages/server/src/organizations/invitation-store.ts";
import { createMemberStore } from "../../packages/server/src/organizations/member-store.ts";
import type { Grant } from "../../packages/server/src/organizations/organization.ts";
import type { TestAccount, TestService } from "../../packages/server/src/testing/test-service.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { createMadeUpEnvelope } from "../support/made-up-envelope.ts";
import type { Operation } from "./operations.ts";

const { publicKey } = takeKeyPair();

/** Another one for each rotation, with no private key to it: an odd number of 2,048 bits. */
function createPublicKey() {
  const modulus = randomBytes(256);
  modulus[0] = 0x80 | (modulus[0] ?? 0);
  modulus[255] = 1 | (modulus[255] ?? 0);
  return { kty: "RSA", n: modulus.toString("base64url"), e: "AQAB" } as const;
}
export const plainPayload = { encrypted: false, version: "plain1", fields: { message: "hello" } };

const envelope = createMadeUpEnvelope();
const keyCopy = { way: "sheet", name: "Sheet", file: "" };

interface Example {
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: (ids: Ids) => unknown;
  /** 200 when omitted. */
  readonly status?: number;
}

/** The parts of a valid request, by operation id. */
const examples: Readonly<Record<string, Example>> = {
  createForm: { body: () => ({ name: createId("form"), publicKey }) },
  // Another page each time, and no name: anyone who sees named forms alone renames none.
  updateForm: {
    body: () => ({ settings: { allowedOrigins: [`https://${createId("form").replace("_", "-")}.example`] } }),
  },
  deleteForm: { query: "?confirm=DELETE_FORM" },
  rotateFormKeys: { body: () => ({ publicKey: createPublicKey() }) },
  // No entry of a log, and no log.
  addKeyLogEntry: { body: () => ({ entry: "made-up" }), headers: { "if-none-match": "*" }, status: 400 },
  getKeyLog: { status: 404 },
  reportRefusedKey: { body: () => ({ fingerprints: ["A".repeat(43)] }) },
  removeKeyLog: { query: "?confirm=REMOVE_KEY_LOG", status: 404 },
  // A form with one version.
  closeFormKeys: { body: () => ({ below: 9, at: 0 }), status: 400 },
  // There is none; and a head that no list has.
  getMemberList: { status: 404 },
  getMemberListNames: { status: 404 },
  giveBackMemberListEntries: {
    body: () => ({ entries: ["made-up"] }),
    headers: { "if-match": '"1-made-up"' },
    status: 412,
  },
  addMemberListEntry: { body: () => ({ entry: "made-up" }), headers: { "if-match": '"1-made-up"' }, status: 412 },
  // Ids of nothing, and an organization without a list.
  createAdmission: { body: () => ({ terms: "made-up" }), status: 404 },
  getAdmission: { status: 404 },
  revokeAdmission: { status: 404 },
  refuseAdmissionAnswer: { status: 404 },
  getOwnAdmission: { status: 404 },
  // Without a key.
  putSignedHead: { body: () => ({ signedHead: "made-up" }), status: 409 },
  answerAdmission: { body: () => ({ answer: "made-up" }), status: 404 },
  putEnvelope: { body: () => ({ envelope }), headers: { "if-none-match": "*" } },
  setAccountNotifications: { body: () => ({ mail: false }) },
  setNotifications: { body: () => ({ mail: false }) },
  setRetention: { body: () => ({ days: 30 }) },
  createApiKey: { body: () => ({ name: "Key" }) },
  postSubmission: { body: () => ({ payload: plainPayload }), status: 201 },
  deleteSubmissions: { query: "?confirm=DELETE_SUBMISSIONS" },
  binSubmissions: { body: ({ submission_id }) => ({ ids: [submission_id] }) },
  restoreSubmissions: { body: () => ({ all: true }) },
  emptyBin: { query: "?confirm=EMPTY_BIN" },
  deleteListedSubmissions: { body: ({ submission_id }) => ({ ids: [submission_id] }) },
  resendDelivery: { status: 202 },
  // The only owner can't leave; and everybody may try a made-up link.
  leaveOrganization: { status: 409 },
  findInvitation: { body: () => ({ token: "made-up" }), status: 400 },
  acceptInvitation: { body: () => ({ token: "made-up" }), status: 400 },
  // An organization that nobody owns.
  handOverForm: { body: () => ({ organizationId: createId("account") }), status: 403 },
  // An entry that no log has.
  shortenAuditLog: { body: () => ({ until: { sequence: 1, hash: "0".repeat(64) } }), status: 409 },
  setFormHold: { body: () => ({ reason: "Case 7" }) },
  // A made-up one: ending its own would refuse the caller all that follows.
  endSession: { status: 404 },
  // Without saying that it is meant: what it ends, the next call needs.
  deleteAccount: { status: 400 },
  deleteOrganization: { status: 400 },
  // No key, and no copies.
  createPersonalKey: { body: () => ({ recipient: "", signingKey: "", copies: [keyCopy] }), status: 400 },
  replacePersonalKey: {
    body: () => ({ recipient: "", signingKey: "", copies: [keyCopy], replaces: "" }),
    status: 400,
  },
  restorePersonalKey: { body: () => ({ signingKey: "", replaces: "" }), status: 404 },
  createDeviceRequest: { body: () => ({ commitment: "A".repeat(43) }) },
  // A made-up one.
  challengeDeviceRequest: {
    body: () => ({ recipient: "", signingKey: "", nonce: "A".repeat(22), proof: null }),
    status: 400,
  },
  revealDeviceRequest: { body: () => ({ recipient: "", nonce: "A".repeat(22) }), status: 404 },
  answerDeviceRequest: { body: () => ({ copy: "", heads: "A" }), status: 400 },
  getKeyCopy: { status: 404 },
  addKeyCopy: { body: () => keyCopy, status: 400 },
  removeKeyCopy: { status: 404 },
  restoreKeyCopy: { status: 404 },
  renameAccount: { body: () => ({ name: "Renamed" }) },
  // On an instance that sends no emails.
  moveAccount: { body: () => ({ email: `${createId("event")}@example.com` }), status: 409 },
  createOrganization: { body: () => ({ name: "Another" }) },
  // To require one of everybody wants one of one's own.
  setSecondFactorRule: { body: () => ({ requiredFrom: null }) },
  setRecoveryRule: { body: () => ({ requireRecovery: false }) },
  renameOrganization: { body: () => ({ name: "Renamed" }) },
  setOrganizationPlan: { body: () => ({ plan: "pro" }) },
  changeInstanceAccount: { body: () => ({ verified: true }) },
  createInstanceInvitation: { body: () => ({ email: `${createId("event")}@example.com` }) },
  changeMember: { body: ({ form_id }) => ({ forms: [form_id] }) },
  createInvitation: {
    body: ({ form_id }) => ({ email: `${createId("event")}@example.com`, role: "reader", forms: [form_id] }),
  },
};

export interface Ids {
  readonly form_id: string;
  readonly submission_id: string;
  readonly key_id: string;
  readonly delivery_id: string;
  readonly version: string;
  readonly lowest_version: string;
  readonly member_id: string;
  readonly invitation_id: string;
  readonly organization_id: string;
  readonly session_id: string;
  readonly account_id: string;
  readonly mail_id: string;
  readonly copy_id: string;
  readonly request_id: string;
  readonly admission_id: string;
}

export interface Answer {
  readonly status: number;
  /** Without the request id, the date and what counts requests. */
  readonly headers: readonly (readonly [string, string])[];
  readonly text: string;
}

export interface PreparedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type OperationCalls = ReturnType<typeof createOperationCalls>;

export interface CallOptions {
  /** Forms have a webhook. Without one nothing is written in the background, but operations about deliveries find none. */
  readonly hasWebhooks?: boolean;
}

/** Calls of every operation, with all that a valid request needs. */
export function createOperationCalls(service: TestService, { hasWebhooks = true }: CallOptions = {}) {
  const members = createMemberStore(service.database);
  const identities = createIdentityStore(service.database);
  const invitations = createInvitationStore(service.database);
  let hosts = 0;
  return { createKey, createIds, prepare, call, addMember, removeMember };

  /** Without the API: its 20 requests a minute are for the operations themselves. */
  async function createKey(
    account: TestAccount,
    granted: readonly Permission[],
    organizationId: string = account.id,
    formIds?: readonly FormId[],
  ) {
    const apiKeys = createApiKeyStore(service.database);
    const value = createApiKeyValue();
    const key = {
      id: createId("apiKey"),
      accountId: organizationId as AccountId, // as the service answered it
      madeBy: account.id as AccountId, // as above
      name: "Key",
      prefix: prefixOf(value),
      permissions: granted,
      createdAt: 0,
      lastUsedAt: undefined,
      formIds,
      expiresAt: undefined,
    };
    await service.database
      .transaction()
      .execute((transaction) => apiKeys.create(transaction, key, hashApiKeyValue(value)));
    return { id: key.id, value };
  }

  async function addMember(account: TestAccount, personId: string, grant: Grant) {
    const organizationId = account.id as AccountId; // as the service answered it
    const membership = { ...grant, organizationId, personId: personId as AccountId, since: 0, addedBy: undefined };
    const by = { madeBy: undefined, at: 0 };
    await service.database.transaction().execute(async (transaction) => {
      await members.lock(transaction, organizationId);
      await members.add(transaction, membership, by);
    });
    // For another owner there is something to take over.
    if (grant.role === "owner")
      await service.database
        .updateTable("organization")
        .set({ counts_for: null, left_by: createId("account") })
        .where("id", "=", organizationId)
        .execute();
  }

  function removeMember(account: TestAccount, personId: string) {
    return service.database.transaction().execute(async (transaction) => {
      const organizationId = account.id as AccountId; // as above
      const member = await members.find(transaction, organizationId, personId as AccountId); // as above
      if (member !== undefined) await members.remove(transaction, organizationId, member, { madeBy: undefined, at: 0 });
    });
  }

  /** A person who never signs in. */
  async function createMember(account: TestAccount): Promise<string> {
    const id = createId("account");
    const person = { id, email: `${id}@example.com`, name: "", plan: "free", createdAt: 0 } as const;
    await service.database
      .transaction()
      .execute((transaction) => identities.createPerson(transaction, { ...person, isVerified: true, isInvited: true }));
    await addMember(account, id, { role: "reader", formIds: [] });
    return id;
  }

  async function createInvitation(account: TestAccount): Promise<string> {
    const organizationId = account.id as AccountId; // as the service answered it
    const wished = {
      organizationId,
      invitedBy: organizationId,
      email: "one@example.com",
      role: "reader",
      formIds: [],
      isMailed: false,
    } as const;
    // Days ago, so that the bound of a day is for the operation itself.
    const { invitation } = await service.database
      .transaction()
      .execute((transaction) => invitations.create(transaction, wished, Date.now() - 3 * 86_400_000));
    return invitation.id;
  }

  /** A form with a submission, a delivery and an API key, made for one operation. */
  async function createIds(account: TestAccount, { path, operationId }: Operation): Promise<Ids> {
    // Another host each time: a person may send only some test events a minute to one.
    hosts += 1;
    const webhookUrl = hasWebhooks ? `https://127.0.0.${1 + (hosts % 250)}:9/hook` : null;
    const settings = { encryption: false, webhookUrl };
    const created = await account.request("POST", "/api/forms", { name: createId("form"), publicKey, settings });
    assert.equal(created.status, 200, JSON.stringify(created.body));
    const form_id: string = created.body.form.id;
    const submission_id = createId("submission");
    const body = { id: submission_id, payload: plainPayload };
    assert.equal((await service.request("POST", `/api/forms/${form_id}/submissions`, { body })).status, 201);
    let key_id: string = createId("apiKey");
    let delivery_id: string = createId("delivery");
    if (path.includes("{key_id}")) key_id = (await createKey(account, permissions)).id;
    if (hasWebhooks && path.includes("{delivery_id}"))
      delivery_id = (await account.request("POST", `/api/forms/${form_id}/webhook/test`)).body.delivery.id;
    if (["getEnvelope", "listEnvelopeRevisions", "removeEnvelopes", "restoreEnvelopes"].includes(operationId)) {
      const { token } = account;
      const put = { token, body: { envelope }, headers: { "if-none-match": "*" } };
      assert.equal((await service.request("PUT", `/api/forms/${form_id}/envelopes/1`, put)).status, 200);
      if (operationId === "restoreEnvelopes") await account.request("DELETE", `/api/forms/${form_id}/envelopes`);
    }
    const member_id = path.includes("{member_id}") ? await createMember(account) : createId("account");
    const invitation_id = path.includes("{invitation_id}") ? await createInvitation(account) : "";
    const organization_id = account.id;
    const made = { form_id, submission_id, key_id, delivery_id, member_id, invitation_id };
    const others = {
      session_id: "made-up",
      account_id: account.id,
      mail_id: "none",
      copy_id: "none",
      request_id: "none",
      admission_id: "none",
    };
    return { ...made, ...others, version: "1", lowest_version: "1", organization_id };
  }

  /** The valid request of an operation, without a credential. */
  function prepare(operation: Operation, ids: Ids): PreparedRequest {
    const example = examples[operation.operationId] ?? {};
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => {
      assert.ok(name in ids, `nothing to put for {${name}}: add it to Ids`);
      return ids[name as keyof Ids]; // just checked
    });
    const body = example.body?.(ids);
    return {
      method: operation.method,
      path: `${path}${example.query ?? ""}`,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...example.headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
  }

  async function call(operation: Operation, ids: Ids, authorization: string | undefined): Promise<Answer> {
    const { path, headers, ...rest } = prepare(operation, ids);
    const credential = authorization !== undefined && { authorization };
    const response = await fetch(`${service.url}${path}`, { ...rest, headers: { ...credential, ...headers } });
    const passing = ["x-request-id", "date", "ratelimit", "ratelimit-policy"];
    return {
      status: response.status,
      headers: [...response.headers].filter(([name]) => !passing.includes(name)),
      text: await response.text(),
    };
  }
}

export function rightStatus({ operationId }: Operation): number {
  return examples[operationId]?.status ?? 200;
}

export function permissionsOf({ access }: Operation): readonly Permission[] {
  return typeof access === "string" ? [] : access;
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, createId } from "@sealpost/wire";
import { createAccountStateStore } from "../accounts/account-state-store.ts";
import { createAccountStore } from "../accounts/account-store.ts";
import {
  completeMove,
  createRemoveOldMoves,
  createToken,
  saveMove,
  undoMilliseconds,
} from "../accounts/address-move-store.ts";
import { createIdentityStore } from "../accounts/identity-store.ts";
import type { SignUpInvitations } from "../accounts/sign-up.ts";
import type { OidcSettings } from "../config/oidc-settings.ts";
import { invitationUnknown } from "../organizations/invitations.ts";
import { createMemberStore } from "../organizations/member-store.ts";
import { createOrganizationStore } from "../organizations/organization-store.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { createAdmitPerson } from "./admit-person.ts";
import type { ProviderPerson } from "./claims.ts";
import { OidcRefusal } from "./refusal.ts";

const noInvitations: SignUpInvitations = {
  check: () => assert.fail("nobody was invited"),
  use: () => assert.fail("nobody was invited"),
};

async function start(t: TestScope, signUpInvitations: SignUpInvitations, allowedGroups?: readonly string[]) {
  /** As the operator's setting: filled by a test that knows the organization. */
  const guestOrganizations: string[] = [];
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const { database } = service;
  const settings: OidcSettings = {
    ...{ issuer: "https://id.example.com", clientId: "sealpost", clientSecret: "secret", name: "ID", scopes: "openid" },
    ...{ groupsClaim: "groups", allowedGroups, trustsEmail: false, sessionHours: 8, signsOut: false },
    guestOrganizations,
    secondFactor: "never",
  };
  const { admit } = createAdmitPerson({
    ...{
      database,
      clock,
      signUpInvitations,
      settings,
      signUp: "open",
      defaultPlan: "free",
      sendVerification: undefined,
    },
    accounts: createAccountStore(database),
    accountStates: createAccountStateStore(database),
    identities: createIdentityStore(database),
    members: createMemberStore(database),
    hasRoom: async () => true,
  });
  const signIn = async (email: string, invitation?: string) => {
    const person: ProviderPerson = {
      ...{ subject: email, email, isVerified: true, name: "Ada", label: email, groups: ["staff"] },
      ...{ authenticatedAt: undefined, usedSecondFactor: false },
    };
    return admit(person, invitation).then(
      () => "admitted",
      (error: unknown) => (error instanceof OidcRefusal ? error.code : assert.fail(String(error))),
    );
  };
  return { clock, service, database, signIn, guestOrganizations };
}

test("the address that an account had before a move is nobody else's while the move can be undone", async (t) => {
  const { clock, service, database, signIn } = await start(t, noInvitations);
  const person = await service.signUp("old@example.com");
  const move = { personId: person.id as AccountId, oldEmail: "old@example.com", newEmail: "new@example.com" };
  await database.transaction().execute(async (transaction) => {
    await saveMove(transaction, { ...move, oldToken: createToken("old"), newToken: createToken("new") }, clock.now());
    await completeMove(transaction, move, clock.now());
  });
  assert.equal(await signIn("old@example.com"), "email_taken");
  assert.equal(await signIn("new@example.com"), "email_taken");
  clock.advance(undoMilliseconds + 1);
  assert.equal(
    await signIn("old@example.com"),
    "email_taken",
    "until the purge, which asks whether the clock is right",
  );
  await createRemoveOldMoves(database)(clock.now());
  assert.equal(await signIn("old@example.com"), "admitted");
});

test("of somebody whose invitation ends between its check and its use, no account stays", async (t) => {
  const { service, database, signIn } = await start(t, {
    check: async () => ({ kind: "operator" }),
    use: async () => ({
      hasOwnOrganization: false,
      provesAddress: false,
      accept: async () => {
        throw invitationUnknown();
      },
    }),
  });
  const owner = await service.signUp("owner@example.com");
  assert.equal(await signIn("guest@example.com", "token"), "invitation_ended");
  const people = await database.selectFrom("person").select("id").execute();
  assert.deepEqual(
    people.map(({ id }) => id),
    [owner.id],
  );
  assert.deepEqual(await database.selectFrom("identity").select("id").execute(), []);
  const left = await database.selectFrom("audit_entry").select("account_id").distinct().execute();
  assert.deepEqual(
    left.map(({ account_id }) => account_id),
    [owner.id],
  );
});

test("a group that nobody is in lets nobody in by the provider, and nobody out who signs in with a password", async (t) => {
  const { service, database, signIn } = await start(t, noInvitations, ["stuff"]);
  const owner = await service.signUp("owner@example.com");
  assert.equal(await signIn("guest@example.com"), "not_in_group");
  assert.equal((await database.selectFrom("person").select("id").execute()).length, 1);
  assert.equal((await owner.request("GET", "/api/forms")).status, 200);
  const body = { email: "owner@example.com", password: "correct horse battery" };
  assert.equal((await service.request("POST", "/api/auth/sign-in/email", { body })).status, 200);
  const corrected = await start(t, noInvitations, ["staff"]);
  await corrected.service.signUp("owner@example.com");
  assert.equal(await corrected.signIn("guest@example.com"), "admitted");
});

test("an organization that the operator has named lets guests in while they are members", async (t) => {
  const organizationId = createId("account", Date.now());
  const { service, database, signIn, guestOrganizations } = await start(
    t,
    {
      check: async () => ({ kind: "organization", organizationId }),
      use: async () => ({
        ...{ hasOwnOrganization: false, provesAddress: false },
        accept: async (personId) => {
          const membership = {
            organizationId,
            personId,
            role: "auditor",
            formIds: undefined,
            since: 1,
            addedBy: undefined,
          } as const;
          const by = { madeBy: undefined, at: 1 };
          await database.transaction().execute((transaction) => members.add(transaction, membership, by));
        },
      }),
    },
    ["board"],
  );
  const members = createMemberStore(database);
  const { id: countsFor } = await service.signUp("owner@example.com");
  const made = {
    id: organizationId,
    name: "House",
    plan: "free",
    createdAt: 1,
    countsFor: countsFor as AccountId,
  } as const;
  await database.transaction().execute((transaction) => createOrganizationStore(database).create(transaction, made));
  assert.equal(await signIn("guest@example.com", "token"), "inviter_not_trusted");
  guestOrganizations.push(organizationId);
  assert.equal(await signIn("guest@example.com"), "not_in_group");
  assert.equal(await signIn("guest@example.com", "token"), "admitted");
  assert.equal(await signIn("guest@example.com"), "admitted");
  const waitFor = (unproven_address: string | null) =>
    database.updateTable("member").set({ unproven_address }).where("organization_id", "=", organizationId).execute();
  await waitFor("guest@example.com");
  assert.equal(await signIn("guest@example.com"), "admitted", "to prove the address");
  await waitFor("invited@example.com");
  assert.equal(await signIn("guest@example.com"), "not_in_group", "moved away from the address that was invited");
  await waitFor(null);
  await database.deleteFrom("member").where("organization_id", "=", organizationId).execute();
  assert.equal(await signIn("guest@example.com"), "not_in_group");
  assert.equal(await signIn("guest@example.com", "token"), "not_in_group");
});

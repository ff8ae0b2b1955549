import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createAccountStateStore } from "../accounts/account-state-store.ts";
import { setAddress } from "../accounts/address-move-store.ts";
import { createMemberStore } from "../organizations/member-store.ts";
import { onPostgres } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { waitAtCommit } from "./testing/wait-at-commit.ts";

interface Scene {
  readonly service: TestService;
  readonly owner: TestAccount;
  readonly person: TestAccount;
  readonly email: string;
}

const idOf = ({ id }: TestAccount) => id as AccountId; // as the service answered it

/** As an operator makes them a member, or an undone move brings their membership back. */
async function join({ service: { database }, owner, person }: Scene): Promise<void> {
  const membership = {
    ...{ organizationId: idOf(owner), personId: idOf(person), role: "auditor" as const },
    ...{ formIds: undefined, since: 1, addedBy: undefined },
  } as const;
  const by = { madeBy: undefined, at: 1 };
  await database.transaction().execute((transaction) => createMemberStore(database).add(transaction, membership, by));
}

/** How somebody proves that the address of their account is theirs. */
const proving: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  "an address is verified": async ({ service: { database }, person }) => {
    const { markVerified } = createAccountStateStore(database);
    await database.transaction().execute((transaction) => markVerified(transaction, idOf(person)));
  },
  "a move is made, or taken back": async ({ service: { database }, person, email }) => {
    await database.transaction().execute((transaction) => setAddress(transaction, idOf(person), email));
  },
};

test("somebody who proves an address while they are made a member waits for no other proof, whichever comes first", {
  ...onPostgres,
}, async (t) => {
  const service = await createTestService(t);
  const { database } = service;
  const owner = await service.signUp("owner@example.com");
  const waiting: string[] = [];
  for (const [index, [proof, prove]] of Object.entries(proving).entries())
    for (const first of ["member", "person"] as const) {
      const email = `${first}-${index}@clinic.example`;
      const person = await service.signUp(email);
      await database.updateTable("person").set({ verification: "needed" }).where("id", "=", person.id).execute();
      const scene = { service, owner, person, email };
      const [joins, proves] = [() => join(scene), () => prove(scene)];
      if (first === "member") await waitAtCommit(database, first, joins, proves);
      else await waitAtCommit(database, first, proves, joins);
      const { unproven_address } = await database
        .selectFrom("member")
        .select("unproven_address")
        .where("organization_id", "=", owner.id)
        .where("person_id", "=", person.id)
        .executeTakeFirstOrThrow();
      if (unproven_address !== null) waiting.push(`${proof}, ${first} first`);
    }
  assert.deepEqual(waiting, []);
});

test("nobody accepts an invitation with an address that waits for its proof, so none can arrive while they do", async (t) => {
  const { database, signUp } = await createTestService(t);
  const owner = await signUp("owner@example.com");
  const email = "person@clinic.example";
  const person = await signUp(email);
  await database.updateTable("person").set({ verification: "needed" }).where("id", "=", person.id).execute();
  const invited = await owner.request("POST", "/api/invitations", { email, role: "auditor" });
  const token = String(invited.body.url).split("#")[1];
  const { body } = await person.request("POST", "/api/invitations/accept", { token });
  assert.equal(body.code, "email_unverified");
});

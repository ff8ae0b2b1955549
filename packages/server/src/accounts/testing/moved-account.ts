import assert from "node:assert/strict";
import type { AccountId } from "@sealpost/wire";
import { invite, switchTo } from "../../organizations/testing/test-organization.ts";
import type { TestAccount, TestService } from "../../testing/test-service.ts";
import { dayMilliseconds as day } from "../../time/clock.ts";
import { completeMove, saveMove } from "../address-move-store.ts";

let count = 0;

/** Makes all changes of members so much older. */
export async function age(service: TestService, by: number): Promise<void> {
  const { database } = service;
  await database
    .updateTable("member_change")
    .set(({ eb }) => ({ changed_at: eb("changed_at", "-", by) }))
    .execute();
}

/** The others, who are the same in all scenes of a service. */
export async function createCast(service: TestService) {
  const signUp = (name: string) => service.signUp(`${name}@example.com`);
  return {
    ...{ partner: await signUp("partner"), manager: await signUp("manager") },
    ...{ helper: await signUp("helper"), friend: await signUp("friend") },
  };
}
export type Cast = Awaited<ReturnType<typeof createCast>>;

/** A person whose organization has an owner and a manager since long ago, and a thief in the person's account, with a helper. */
export async function createScene(service: TestService, cast: Cast) {
  const email = `person-${++count}@example.com`;
  const person = await service.signUp(email);
  await service.database.updateTable("person").set({ verification: "trusted" }).execute();
  const organizationId = person.id;

  async function letIn(inviter: TestAccount, name: keyof Cast, role: "owner" | "manager" = "owner") {
    const token = await invite(inviter, `${name}@example.com`, { role });
    ok(await cast[name].request("POST", "/api/invitations/accept", { token }));
    await switchTo(cast[name], organizationId);
  }
  await letIn(person, "partner");
  await letIn(person, "manager", "manager");
  await age(service, 3 * day);
  /** Done by both addresses. Returns the token of the link to the one before. */
  async function move(): Promise<string> {
    const { id } = await service.database
      .selectFrom("person")
      .select("id")
      .where("email", "=", email)
      .executeTakeFirstOrThrow();
    const [personId, newEmail] = [id as AccountId, `moved-${email}`]; // the service made it
    return service.database.transaction().execute(async (transaction) => {
      const tokens = { oldToken: "old", newToken: "new" };
      await saveMove(transaction, { personId, oldEmail: email, newEmail, ...tokens }, Date.now());
      return completeMove(transaction, { personId, newEmail }, Date.now());
    });
  }

  async function undo(token: string): Promise<void> {
    const headers = { origin: service.url };
    const { body } = await service.request("POST", "/api/auth/address/refuse", { headers, body: { token } });
    assert.deepEqual(body, { status: "undone" });
  }

  /** The members of an organization, by their names. */
  async function listMembers(): Promise<Readonly<Record<string, string>>> {
    const rows = await service.database
      .selectFrom("member")
      .innerJoin("person", "person.id", "member.person_id")
      .select(["person.email", "member.role"])
      .where("organization_id", "=", organizationId)
      .orderBy("person.email")
      .execute();
    return Object.fromEntries(rows.map((row) => [row.email.replace("moved-", "").split(/-\d|@/)[0] ?? "", row.role]));
  }
  const change = (by: TestAccount, of: TestAccount, role: string) =>
    by.request("PATCH", `/api/members/${of.id}`, { role });
  const remove = (by: TestAccount, of: TestAccount) => by.request("DELETE", `/api/members/${of.id}`);
  return {
    ...cast,
    ...{ person, email, organizationId },
    letIn,
    move,
    undo,
    listMembers,
    change,
    remove,
  };
}
export type Scene = Awaited<ReturnType<typeof createScene>>;

export function ok({ status, body }: { readonly status: number; readonly body: unknown }): void {
  assert.equal(status, 200, JSON.stringify(body));
}

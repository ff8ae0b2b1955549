import assert from "node:assert/strict";
import type { Role } from "../../access/roles.ts";
import type { TestAccount, TestService } from "../../testing/test-service.ts";

export interface WantedRole {
  readonly role: Role;
  readonly forms?: readonly string[];
}

/** Invites an address, and returns the token of the link. */
export async function invite(inviter: TestAccount, email: string, wanted: WantedRole): Promise<string> {
  const { status, body } = await inviter.request("POST", "/api/invitations", { email, ...wanted });
  assert.equal(status, 200, JSON.stringify(body));
  return String(body.url).split("#")[1] ?? "";
}

/** A new person, who is a member of the inviter's organization and acts for it. */
export async function addPerson(
  service: TestService,
  inviter: TestAccount,
  email: string,
  wanted: WantedRole,
  name?: string,
): Promise<TestAccount> {
  const person = await service.signUp(email, name);
  const token = await invite(inviter, email, wanted);
  const accepted = await person.request("POST", "/api/invitations/accept", { token });
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  await switchTo(person, accepted.body.organizationId);
  return person;
}

export async function switchTo(person: TestAccount, organizationId: string): Promise<void> {
  const { status, body } = await person.request("POST", `/api/organizations/${organizationId}/switch`);
  assert.equal(status, 200, JSON.stringify(body));
}

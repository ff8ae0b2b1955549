import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { joinedMax } from "./organization.ts";
import { invite, switchTo } from "./testing/test-organization.ts";

test("a person joins and makes at most two hundred organizations, with those that they left within nine days", async (t) => {
  const service = await createTestService(t);
  const { database } = service;
  const person = await service.signUp("person@example.com");
  const owners = [await service.signUp("one@example.com"), await service.signUp("other@example.com")];
  const joined = Array.from({ length: joinedMax - 2 }, () => createId("account"));
  await database
    .insertInto("organization")
    .values(joined.map((id) => ({ id, name: "One", plan: "free", created_at: 1 })))
    .execute();
  const membership = { person_id: person.id, role: "auditor", form_ids: "[]", since: 1 };
  await database
    .insertInto("member")
    .values(joined.map((organization_id) => ({ organization_id, ...membership })))
    .execute();
  const answerOf = async (asking: ReturnType<TestAccount["request"]>) => {
    const { status, body } = await asking;
    return `${status} ${body.code ?? ""}`.trim();
  };
  const accept = async (inviter: TestAccount | undefined) => {
    assert.ok(inviter);
    const token = await invite(inviter, "person@example.com", { role: "auditor" });
    return answerOf(person.request("POST", "/api/invitations/accept", { token }));
  };
  const make = () => answerOf(person.request("POST", "/api/organizations", { name: "Own" }));
  assert.equal(await accept(owners[0]), "200", "one is left, besides their own");
  const refused = "409 too_many_organizations";
  assert.deepEqual([await accept(owners[1]), await make()], [refused, refused]);
  await switchTo(person, joined[0] ?? "");
  assert.equal(await answerOf(person.request("POST", "/api/members/leave")), "200");
  assert.deepEqual([await accept(owners[1]), await make()], [refused, refused], "what they left counts on");
  await database.deleteFrom("member_change").where("made_by", "=", person.id).execute();
  assert.equal(await make(), "200", "until nobody can undo anything there");
});

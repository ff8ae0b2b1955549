import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestService } from "../testing/test-service.ts";
import { listForeignKeys } from "./testing/foreign-keys.ts";

/** The table that a column leads to, by its name. `undefined`: neither a person nor an organization. */
function targetOf(column: string): "person" | "organization" | undefined {
  if (/^(person_id|counts_for|(made|added|invited|answered|left)_by)$/.test(column)) return "person";
  return /^(organization_id|account_id)$/.test(column) ? "organization" : undefined;
}

/** Columns with an id that outlives its row, or that is of either table, with the reason why no foreign key holds them. */
const free: Readonly<Record<string, string>> = {
  "audit_entry.account_id": "a log is also of a person who belongs to no organization, or of the instance",
  "audit_entry.person_id": "an entry outlives the person",
  "audit_head.account_id": "as the entries",
  "mail.account_id": "an email is to a person, to the owners of an organization, or of the instance",
  "organization.counts_for":
    "the rules of the membership say when it ends, and then `left_by` says for whom it counted",
  "organization.left_by": "what somebody left behind stays when their account goes; the id is removed with it",
  "session.organization_id": "a session that acted for a deleted organization acts for none until it is switched",
  "signed_head.person_id": "leads to the membership",
  "signed_head.organization_id": "leads to the membership",
  "member.added_by": "a member outlives who added them",
  "member_change.person_id": "a change protects others, and outlives the account of the person for some days",
  "member_change.made_by": "as above",
  "member_change.added_by": "as above",
  "undone_move.person_id": "as above",
  "invitation.invited_by": "an ended invitation counts among those of the day, no matter who made it",
  "instance_invitation.invited_by": "as above; null: a command on the server",
  "admission.answered_by": "a person, or another one of the same address",
  "form_key.made_by": "`owner` or `service`",
};

test("each column with the id of a person or of an organization leads to the table that its name says", async (t) => {
  const { database } = await createTestService(t);
  const keys = await listForeignKeys(database);
  const leads = (table: string, column: string) =>
    keys.filter((key) => key.table === table && key.column === column).map(({ target }) => target);
  let held = 0;
  for (const { name: table, columns } of await database.introspection.getTables())
    for (const { name: column } of columns) {
      const target = targetOf(column);
      const found = leads(table, column);
      const at = `${table}.${column}`;
      if (target === undefined)
        assert.ok(
          !found.some((one) => ["person", "organization"].includes(one)),
          `what ${at} leads to is not in its name`,
        );
      else if (at in free) assert.ok(!found.includes(target), `${at} has a key: its reason is out of date`);
      else assert.deepEqual(found, [target], at);
      held += at in free || target === undefined ? 0 : 1;
    }
  assert.ok(held > 20, `a control: ${held} columns`);
});

test("what refers to a person follows their id and goes with them; so it does with an organization, but for its forms", async (t) => {
  const { database } = await createTestService(t);
  const keys = await listForeignKeys(database);
  for (const { table, column, target, follows, goes } of keys) {
    const at = `${table}.${column}`;
    if (target === "person") assert.deepEqual([Boolean(follows), Boolean(goes)], [true, true], at);
    // An organization's id never changes; its forms are removed one by one, with their submissions.
    if (target === "organization")
      assert.deepEqual([Boolean(follows), Boolean(goes)], [false, at !== "form.account_id"], at);
  }
});

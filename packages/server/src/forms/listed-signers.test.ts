import assert from "node:assert/strict";
import { test } from "node:test";
import type { KeyLogEntry } from "@sealpost/wire";
import { findSignerIssue } from "./listed-signers.ts";

const listed = { owners: new Set(["owner", "paper"]), managers: new Set(["manager", "other"]) };
type Members = Pick<KeyLogEntry, "signedBy" | "owners" | "managers">;

const whole: Members = { signedBy: "owner", owners: ["owner", "paper"], managers: ["manager", "other"] };
/** As much of an entry as is looked at. */
const entry = (members: Partial<Members> = {}) => ({ ...whole, ...members }) as unknown as KeyLogEntry;

test("an owner's entry, and the first one by anybody, names all owners and recovery keys of the list, and nobody in another role", () => {
  for (const before of [undefined, entry()])
    for (const signedBy of before ? ["owner", "paper"] : ["owner", "manager"]) {
      const issue = (members: Partial<Members>) => findSignerIssue(entry({ signedBy, ...members }), before, listed);
      assert.equal(issue({}), undefined);
      assert.equal(issue({ managers: [] }), undefined, "managers may be left out");
      assert.match(issue({ owners: ["owner"] }) ?? "", /does not name all owners/);
      assert.match(issue({ owners: ["owner", "paper", "stranger"] }) ?? "", /One of its owners/);
      assert.match(issue({ owners: ["manager", "owner", "paper"] }) ?? "", /One of its owners/);
      assert.match(issue({ managers: ["stranger"] }) ?? "", /One of its managers/);
    }
});

test("a manager rotates although somebody else has left, and one who has lost the role does not", () => {
  const before = entry({ owners: ["gone"], managers: ["manager", "owner", "stranger"] });
  const issue = (signedBy: string) => findSignerIssue({ ...before, signedBy }, before, listed);
  assert.equal(issue("manager"), undefined);
  assert.equal(issue("owner"), undefined, "who has become an owner, and is still a manager in the log");
  assert.match(issue("stranger") ?? "", /no manager/);
});

test("where a log has no room for all owners, those that it has are enough", () => {
  const owners = Array.from({ length: 33 }, (_, index) => `owner ${index}`);
  const most = entry({ owners: owners.slice(0, 32), managers: [], signedBy: "owner 0" });
  assert.equal(findSignerIssue(most, undefined, { owners: new Set(owners), managers: new Set() }), undefined);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { answerAdmission, createAdmission, openAdmission } from "./admission.ts";
import { admissionLists, asSigner, ids } from "./testing/admission-lists.ts";
import { findPersonalKey } from "./testing/people.ts";

test("those who could have made an admission finish it: no manager where somebody becomes an owner, nor the member whose key is replaced", async () => {
  const { two: list } = await admissionLists();
  const signer = await asSigner("founder", "hybrid owner");
  const now = Date.UTC(2026, 10, 23, 8);
  const key = await findPersonalKey("hybrid recovery");
  const offer = { list, signer, email: "zoe@example.org", name: "Zoë" };
  const tryAs = async (finisherId: string, person: string, role: "owner" | "reader") => {
    const { terms, link } = await createAdmission({ ...offer, person, role, now });
    const answer = await answerAdmission(terms, link, person, key);
    const opened = await openAdmission(terms, answer, { list, finisherId, now });
    return "reason" in opened ? opened.reason : opened.change.change;
  };
  assert.equal(await tryAs(ids.founder, ids.newcomer, "owner"), "add", "the maker");
  assert.equal(await tryAs(ids.manager, ids.newcomer, "owner"), "not_allowed", "the manager");
  assert.equal(await tryAs(ids.manager, ids.newcomer, "reader"), "add", "the manager");
  assert.equal(await tryAs(ids.founder, ids.manager, "reader"), "replace", "the maker");
  assert.equal(await tryAs(ids.manager, ids.manager, "reader"), "not_allowed", "a key that may be a thief's");
});

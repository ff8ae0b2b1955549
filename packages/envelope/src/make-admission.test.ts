import assert from "node:assert/strict";
import { test } from "node:test";
import { answerAdmission, createAdmission, openAdmission } from "./admission.ts";
import { admissionLists, asSigner, ids } from "./testing/admission-lists.ts";
import { findPersonalKey, type KeyName } from "./testing/people.ts";

test("the file of an admission is for those who could have made it: for no manager where somebody becomes an owner, nor for the key that is replaced", async () => {
  const { two: list } = await admissionLists();
  const signer = await asSigner("founder", "hybrid owner");
  const now = Date.UTC(2026, 10, 23, 8);
  const key = await findPersonalKey("hybrid recovery");
  const offer = { list, signer, email: "zoe@example.org", name: "Zoë", now };
  const tryAs = async (reader: KeyName, person: string, role: "owner" | "reader") => {
    const { file, terms, link } = await createAdmission({ ...offer, person, role });
    const answer = await answerAdmission(terms, link, person, key);
    const opened = await openAdmission(file, (await findPersonalKey(reader)).identity, answer, { list, now });
    return "reason" in opened ? opened.reason : opened.change.change;
  };
  assert.equal(await tryAs("hybrid owner", ids.newcomer, "owner"), "add", "the maker");
  assert.equal(await tryAs("hybrid reader", ids.newcomer, "owner"), "not_a_reader", "the manager");
  assert.equal(await tryAs("hybrid reader", ids.newcomer, "reader"), "add", "the manager");
  assert.equal(await tryAs("hybrid owner", ids.manager, "reader"), "replace", "the maker");
  assert.equal(await tryAs("hybrid reader", ids.manager, "reader"), "not_a_reader", "a key that may be a thief's");
});

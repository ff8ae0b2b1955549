import assert from "node:assert/strict";
import { test } from "node:test";
import { type AdmissionRequest, decideAdmission } from "./admission.ts";
import { readPerson } from "./claims.ts";

const base: AdmissionRequest = {
  known: undefined,
  signUp: "first",
  accounts: 1,
  isInvited: false,
  allowedGroups: undefined,
  groups: undefined,
};

function decide(request: Partial<AdmissionRequest>): string {
  const decision = decideAdmission({ ...base, ...request });
  return decision.kind === "admitted" ? decision.by : `no: ${decision.code}`;
}

const member = { allowedGroups: ["council"], groups: ["choir", "council"] };
const stranger = { allowedGroups: ["council"], groups: ["choir"] };

test("a new person comes in by an invitation, an allowed group or open sign-up, and never as the first", () => {
  assert.equal(decide({}), "no: not_admitted");
  assert.equal(decide({ signUp: "closed" }), "no: not_admitted");
  assert.equal(decide({ signUp: "open" }), "open");
  assert.equal(decide({ isInvited: true, signUp: "closed" }), "invitation");
  assert.equal(decide({ ...member, signUp: "closed" }), "group");
  assert.equal(decide(stranger), "no: not_in_group");
  assert.equal(decide({ ...stranger, signUp: "open" }), "no: not_in_group");
  assert.equal(decide({ ...stranger, isInvited: true }), "invitation");
  assert.equal(decide({ ...stranger, groups: undefined }), "no: groups_missing");
  for (const request of [{ signUp: "open" }, member, { isInvited: true }, { known: "link" }] as const)
    assert.equal(decide({ ...request, accounts: 0 }), "no: first_account");
});

test("a known person comes in while the groups allow it; who was invited whatever their groups", () => {
  for (const known of ["open", "group", "link"] as const) {
    assert.equal(decide({ known, signUp: "closed" }), known);
    assert.equal(decide({ known, ...member }), known);
    assert.equal(decide({ known, ...stranger }), "no: not_in_group");
    assert.equal(decide({ known, ...stranger, groups: [] }), "no: not_in_group");
  }
  assert.equal(decide({ known: "invitation", ...stranger }), "invitation");
  assert.equal(decide({ known: "group", ...stranger, isInvited: true }), "invitation");
  assert.equal(decide({ known: "link", ...stranger, isInvited: true }), "link", "for this sign-in");
});

const settings = { groupsClaim: "groups", trustsEmail: false };

test("claims of the wrong shape are no claims: nothing is made of them, and nothing is taken for verified", () => {
  for (const email of [
    7,
    "",
    "ada",
    "a b@example.com",
    "ada@example.com\u202e",
    `${"a".repeat(400)}@example.com`,
    null,
  ])
    assert.equal(readPerson({ sub: "1", email, email_verified: true }, {}, settings).isVerified, false);
  for (const value of [undefined, "yes", 1, "TRUE", {}])
    assert.equal(readPerson({ sub: "1", email: "a@b.c", email_verified: value }, {}, settings).isVerified, false);
  // The verification of one address says nothing about another.
  const mixed = readPerson({ sub: "1", email: "a@b.c" }, { email: "x@b.c", email_verified: true }, settings);
  assert.deepEqual([mixed.email, mixed.isVerified], ["a@b.c", false]);
  for (const groups of [undefined, 7, {}, null])
    assert.equal(readPerson({ sub: "1", groups }, {}, settings).groups, undefined);
  assert.deepEqual(readPerson({ sub: "1", groups: ["a", 7, null, "b"] }, {}, settings).groups, ["a", "b"]);
  for (const auth_time of ["0", null, undefined])
    assert.equal(readPerson({ sub: "1", auth_time }, {}, settings).authenticatedAt, undefined);
  for (const amr of ["mfa", undefined, ["pwd"], { 0: "mfa" }])
    assert.equal(readPerson({ sub: "1", amr }, {}, settings).usedSecondFactor, false);
  for (const name of [7, "", "  ", "a".repeat(101), "a\u0000b"])
    assert.equal(readPerson({ sub: "1", name }, {}, settings).name, "");
});

test("groups come from the token or the provider's answer, by a name or a path, and not from an object's prototype", () => {
  const read = (claims: object, groupsClaim: string, answer = {}) =>
    readPerson({ sub: "1", ...claims }, answer, { ...settings, groupsClaim }).groups;
  assert.deepEqual(read({ realm_access: { roles: ["a"] } }, "realm_access.roles"), ["a"]);
  assert.deepEqual(read({ "https://house/groups": ["a"] }, "https://house/groups"), ["a"]);
  assert.deepEqual(read({ groups: "a" }, "groups"), ["a"]);
  assert.deepEqual(read({}, "groups", { groups: ["b"] }), ["b"]);
  assert.deepEqual(read({ groups: ["a"] }, "groups", { groups: ["b"] }), ["a"]);
  assert.equal(read({}, "constructor.name"), undefined);
  assert.equal(read({ groups: ["a"] }, "groups.length"), undefined);
  assert.equal(readPerson({ sub: "1", email: "a@b.c" }, {}, { ...settings, trustsEmail: true }).isVerified, true);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { admissions } from "../accounts/identity-store.ts";
import { type AdmissionRequest, decideAdmission } from "./admission.ts";
import { readPerson } from "./claims.ts";

const base: AdmissionRequest = {
  known: undefined,
  signUp: "first",
  hasAccounts: true,
  guestOrganizations: [],
  memberOf: [],
  allowedGroups: undefined,
  groups: undefined,
};

function decide(request: Partial<AdmissionRequest>): string {
  const decision = decideAdmission({ ...base, ...request });
  return decision.kind === "admitted" ? decision.by : `no: ${decision.code}`;
}

const house = "acc_house";
const byHouse = { inviter: { kind: "organization", organizationId: house } } as const;
const byOperator = { inviter: { kind: "operator" } } as const;
const member = { allowedGroups: ["council"], groups: ["choir", "council"] };
const stranger = { allowedGroups: ["council"], groups: ["choir"] };

test("a new person comes in by an invitation, an allowed group or open sign-up, and never as the first", () => {
  assert.equal(decide({}), "no: not_admitted");
  assert.equal(decide({ signUp: "closed" }), "no: not_admitted");
  assert.equal(decide({ signUp: "open" }), "open");
  assert.equal(decide({ ...byHouse, signUp: "closed" }), "organization");
  assert.equal(decide({ ...byOperator, signUp: "closed" }), "operator");
  assert.equal(decide({ ...member, signUp: "closed" }), "group");
  assert.equal(decide(stranger), "no: not_in_group");
  assert.equal(decide({ ...stranger, signUp: "open" }), "no: not_in_group");
  assert.equal(decide({ ...stranger, ...byOperator }), "operator");
  assert.equal(decide({ ...stranger, ...byHouse }), "no: inviter_not_trusted");
  assert.equal(decide({ ...stranger, ...byHouse, guestOrganizations: [house] }), "organization");
  assert.equal(decide({ ...stranger, groups: undefined }), "no: groups_missing");
  for (const request of [{ signUp: "open" }, member, byOperator, byHouse, { known: "link" }] as const)
    assert.equal(decide({ ...request, hasAccounts: false }), "no: first_account");
});

test("a known person comes in while the groups allow it, an operator's guest always, a trusted organization's while a member there", () => {
  for (const known of ["open", "group", "link"] as const) {
    assert.equal(decide({ known, signUp: "closed" }), known);
    assert.equal(decide({ known, ...member }), known);
    assert.equal(decide({ known, ...stranger }), "no: not_in_group");
    assert.equal(decide({ known, ...stranger, groups: [] }), "no: not_in_group");
  }
  assert.equal(decide({ known: "operator", ...stranger }), "operator");
  const guest = { known: "organization", ...stranger, guestOrganizations: [house] } as const;
  assert.equal(decide({ ...guest, memberOf: ["acc_other", house] }), "organization");
  assert.equal(decide({ ...guest, memberOf: ["acc_other"] }), "no: not_in_group");
  assert.equal(decide({ ...guest, memberOf: [house], guestOrganizations: [] }), "no: not_in_group");
});

test("no invitation and no membership changes how a known person was let in, or outlasts it", () => {
  for (const known of admissions.filter((admission) => admission !== "operator" && admission !== "organization"))
    for (const inviter of [byHouse.inviter, byOperator.inviter]) {
      const request = { known, inviter, memberOf: [house], guestOrganizations: [house] };
      assert.equal(decide({ ...request, ...stranger }), "no: not_in_group", known);
      assert.equal(decide({ ...request, ...member }), known);
    }
  // Somebody new who is in the group is bound to it, no matter who has invited them.
  for (const inviter of [byHouse.inviter, byOperator.inviter])
    assert.equal(decide({ ...member, inviter, guestOrganizations: [house] }), "group");
});

test("a subject is 1 to 255 printable ASCII characters, or nobody is signed in", () => {
  const subject = (sub: unknown) => readPerson({ sub }, {}, settings).subject;
  for (const sub of ["a", "a b", "248289761001", "a".repeat(255), "{6e4f}|~"]) assert.equal(subject(sub), sub);
  const others = ["", " ", "\u0000", "a\u0000b", "\ud800", "\udfff", "\ufffd", "Zoë", "a\n", "a".repeat(256), "\u202e"];
  for (const sub of [...others, 12, ["a"], null, undefined, {}, true])
    assert.throws(() => subject(sub), { code: "refused" }, JSON.stringify(sub));
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
  for (const name of [7, "", "  ", "a".repeat(101), "\u0000\u202e\u2028"])
    assert.equal(readPerson({ sub: "1", name }, {}, settings).name, "");
  // Cleaned, because nobody here can type it again.
  for (const name of ["Zoë\u2028Ada", "\u202eZoë\u0000 Ada", " Zoë \n\u200bAda\ufeff"])
    assert.equal(readPerson({ sub: "1", name }, {}, settings).name, "Zoë Ada");
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

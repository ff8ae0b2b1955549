import assert from "node:assert/strict";
import { test } from "node:test";
import type { Member } from "@sealpost/envelope";
import { toReaderRows } from "../../packages/dashboard/src/readers/reader-rows.ts";
import type { Commitment } from "../../packages/envelope/src/commitment.ts";

const member = (id: string, role: Member["role"]): Member => ({
  ...{ id, name: id, role, recipient: "", signingKey: null },
  commitment: "" as unknown as Commitment, // nobody looks at it
});
const members = new Map(
  [
    member("ada", "owner"),
    member("bo", "reader"),
    member("cy", "reader"),
    member("dan", "auditor"),
    member("eve", "program"),
  ].map((one) => [one.id, one]),
);
const envelope = (ids: readonly string[], outdated: readonly string[] = []) => ({
  readers: ids.map((id) => ({ id, name: id, fingerprint: "", by: id })),
  outdated,
});

test("readers are those of the list and the envelopes; what the server grants is named and makes nobody a reader", () => {
  const granted = [
    { id: "ada", role: "owner", forms: null },
    { id: "bo", role: "reader", forms: ["other"] },
    { id: "cy", role: "reader", forms: ["form"] },
    { id: "stranger", role: "manager", forms: null },
  ] as const;
  const envelopes = [envelope(["ada", "bo", "dan", "gone"], ["bo", "dan", "gone"]), envelope(["ada", "eve"])];
  const rows = toReaderRows(
    members,
    envelopes,
    granted.map((one) => ({ ...one, forms: one.forms && [...one.forms] })),
    "form",
  );
  assert.deepEqual(
    rows.map(({ id, reads, hasAccess }) => [id, reads, hasAccess]),
    [
      ["ada", "all", true],
      ["bo", "other_key", false],
      ["cy", "none", true],
      ["dan", "gone", undefined],
      ["eve", "some", undefined],
      ["gone", "gone", undefined],
    ],
  );
});

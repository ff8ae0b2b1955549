import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAdmissionLink, parseAdmissionLink } from "./admission-link.ts";

test("a link names the head of a list, however long it is, and no number that a list can't have", () => {
  const link = (number: number) => ({
    ...{ admissionId: `adm_${"0".repeat(26)}`, secret: "A".repeat(22), head: { number, hash: "A".repeat(43) } },
  });
  for (const number of [1, 4097, 2_147_483_647])
    assert.deepEqual(parseAdmissionLink(formatAdmissionLink(link(number))), link(number));
  assert.equal(parseAdmissionLink(formatAdmissionLink(link(2_147_483_648))), undefined);
});

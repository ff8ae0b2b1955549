import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "../../packages/dashboard/src/texts/text.ts";

// Sentences on what to do that are shown to readers as well. Only owners and managers rotate keys, or change a page.

type Hint = { readonly hint: string; readonly hintOthers?: string };

const forStaff = /\brotates? (?:the|its|their) keys|off your page|snippets/;
const { envelopeRefusals, listRefusals, keys, envelopes, forms } = text;
const hints: Readonly<Record<string, Hint>> = {
  ...envelopeRefusals,
  ...listRefusals,
  ...keys.hybridDifference,
  "keys of another": { hint: envelopes.otherKeysHint, hintOthers: envelopes.otherKeysOthers },
  "an unproved key": { hint: forms.unprovedRotate, hintOthers: forms.unprovedOthers },
};

for (const [name, { hint, hintOthers }] of Object.entries(hints).filter(([, { hint }]) => forStaff.test(hint)))
  test(`what only owners and managers do is said to them alone: ${name}`, () => {
    assert.ok(hintOthers, hint);
    assert.doesNotMatch(hintOthers, forStaff);
    assert.match(hintOthers, /an owner or a manager/);
  });

test("the rule finds what only owners and managers do", () => {
  assert.ok(Object.values(hints).filter(({ hint }) => forStaff.test(hint)).length >= 5);
});

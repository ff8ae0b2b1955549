import assert from "node:assert/strict";
import { test } from "node:test";
import { describeByField } from "./describe-details.ts";

test("every wrong entry of a list is named by its number, those with the same error together", () => {
  const { details } = describeByField({
    "settings.allowedOrigins.1": "Must be one",
    "settings.allowedOrigins.3": "Must be short",
    "settings.allowedOrigins.6": "Must be one",
    "settings.piiTypes.0": "Must be a type",
    "settings.binDays": "Must be a number",
    "settings.webhookUrl": "Must be HTTPS",
    name: "Must be a text",
  });
  assert.deepEqual(details, {
    allowedOrigins: "Entries 2, 7: Must be one; Entry 4: Must be short",
    piiTypes: "Entry 1: Must be a type",
    binDays: "Must be a number",
    webhookUrl: "Must be a valid HTTPS URL",
    name: "Must be a text",
  });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import * as sdk from "@sealpost/sdk";
import * as sdkCsv from "@sealpost/sdk/csv";
import * as csv from "./csv.ts";
import * as receiver from "./index.ts";

/** The names that programs import from here since before there was `@sealpost/sdk`. Nothing joins this list, and nothing leaves it. */
const names = [
  "ApiError",
  "createClient",
  "createKeyFile",
  "createReceiver",
  "createWebhookSecret",
  "exportFileName",
  "fingerprint",
  "generateKeyPair",
  "importOpeningKey",
  "isPaperKey",
  "keyFileName",
  "open",
  "openSubmission",
  "parseOpeningKey",
  "parsePaperKey",
  "toPaperKey",
  "verify",
  "verifyService",
];
const csvNames = ["commonestNames", "createCsvColumns", "findCsvColumns", "formatCsvHead", "formatCsvRow"];

test("@sealpost/receiver exports what it always did, and each of it is the same as in @sealpost/sdk", () => {
  const library: Readonly<Record<string, unknown>> = sdk;
  const libraryCsv: Readonly<Record<string, unknown>> = sdkCsv;
  assert.deepEqual(Object.keys(receiver).toSorted(), names.toSorted());
  for (const [name, value] of Object.entries(receiver)) assert.equal(value, library[name], name);
  assert.deepEqual(Object.keys(csv).toSorted(), csvNames);
  // `instanceof ApiError` holds across both names.
  for (const [name, value] of Object.entries(csv)) assert.equal(value, libraryCsv[name], name);
});

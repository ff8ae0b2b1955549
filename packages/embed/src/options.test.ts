import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import { findInvalidOption } from "./find-invalid-option.ts";
import { knowsKeyLogs, provideKeyLogs } from "./logged-form.ts";
import { type Options, parseOptions, pinsOf } from "./options.ts";
import { refused } from "./service.ts";

// As the build of the script that can know key logs has it.
Reflect.set(globalThis, "SEALPOST_KEY_LOG", true);

const formId = createId("form");
const endpoint = "https://forms.example";
const pin = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNO-_";

test("a snippet without options is in order, and so is every option", () => {
  const all: Required<Options> = {
    form: "#contact",
    endpoint,
    encryption: true,
    keyFingerprint: pin,
    keyLog: `12-${pin.slice(0, 42)}A`,
    piiStrip: true,
    piiTypes: ["EMAIL_ADDRESS"],
    country: "DE",
    dropTracking: true,
    redirect: "/",
    resetOnSuccess: false,
    messages: { sent: "Danke" },
    onSubmit: () => undefined,
    onSuccess: () => undefined,
    onError: () => undefined,
  };
  assert.equal(findInvalidOption(formId, { endpoint }), undefined);
  assert.equal(knowsKeyLogs(), false);
  assert.equal(findInvalidOption(formId, all), "keyLog", "without what verifies a log");
  provideKeyLogs(async () => refused("key_log_gone"));
  assert.equal(findInvalidOption(formId, all), undefined);
});

test("each error in a snippet is named", () => {
  const misspelt: Record<string, unknown> = { endpoint, keyfingerprint: pin };
  const polluting: Options = JSON.parse(`{"endpoint": "${endpoint}", "__proto__": {"encryption": false}}`);
  assert.equal(findInvalidOption("form_1", { endpoint }), "form id");
  assert.equal(findInvalidOption(formId.toUpperCase(), { endpoint }), "form id");
  assert.equal(findInvalidOption(formId, {}), "endpoint");
  assert.equal(findInvalidOption(formId, { endpoint, keyFingerprint: [] }), "keyFingerprint");
  assert.equal(findInvalidOption(formId, { endpoint, keyFingerprint: [pin, `${pin}=`] }), "keyFingerprint");
  assert.equal(findInvalidOption(formId, { endpoint, keyFingerprint: pin, encryption: false }), "keyFingerprint");
  assert.equal(findInvalidOption(formId, misspelt), "keyfingerprint");
  for (const keyLog of [
    "",
    "12",
    pin,
    `0-${pin}`,
    `2147483648-${pin.slice(0, 42)}A`,
    `12-${pin}=`,
    ` 12-${pin.slice(0, 42)}A`,
  ])
    assert.equal(findInvalidOption(formId, { endpoint, keyLog }), "keyLog", keyLog);
  assert.equal(findInvalidOption(formId, { endpoint, keyLog: `1-${"A".repeat(43)}`, encryption: false }), "keyLog");
  assert.equal(findInvalidOption(formId, polluting), "__proto__");
});

test("no option pins nothing; a list and a string with spaces pin the same", () => {
  assert.equal(pinsOf({}), undefined);
  assert.deepEqual(pinsOf({ keyFingerprint: [pin, pin] }), [pin, pin]);
  assert.deepEqual(pinsOf({ keyFingerprint: `${pin} ${pin}` }), [pin, pin]);
});

test("options of a script element that cannot be read are an error", () => {
  assert.deepEqual(parseOptions(undefined), {});
  assert.deepEqual(parseOptions('{"redirect": "/thanks"}'), { redirect: "/thanks" });
  for (const json of ["", "{", "{a: 1}", "[1]", '"text"'])
    assert.notEqual(findInvalidOption(formId, { ...parseOptions(json), endpoint }), undefined, json);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "@sealpost/sdk";
import { RefusalError, reasons } from "../envelope/src/refusal.ts";
import { errors } from "../texts/src/en/errors.ts";
import { formats } from "../texts/src/en/formats.ts";
import { text as english } from "../texts/testing/english.ts";
import { makeUp } from "../texts/testing/made-up.ts";
import {
  describeError,
  Explained,
  entryErrors,
  FieldRefused,
  fieldError,
  noteChange,
} from "./src/api/describe-error.ts";
import { setErrorSentences } from "./src/texts/error-sentence.ts";
import { setFormats } from "./src/texts/format.ts";
import { text } from "./src/texts/text.ts";

// The app in a made-up language, which has no English letter. The API's sentences are English in every language.
setFormats(makeUp(formats));
Object.assign(text, makeUp(english));
setErrorSentences(makeUp(errors), errors);

const statusOf = (status: number) => ({ status, code: "bad_request" }) as const;
const sentences = Object.entries(errors).flatMap(([code, ways]) =>
  (typeof ways === "string" ? [ways] : ways).map((way) => {
    let count = 0;
    return {
      code,
      sentence: way.replaceAll("{}", () => `${++count * 111}`),
      values: Array.from({ length: count }, (_, index) => `${(index + 1) * 111}`),
    };
  }),
);

/** In their gap is a sentence of the service, in English. */
const withReason = ["key_log_entry_refused", "member_list_entry_refused", "admission_refused"];

function assertTranslated(shown: string | undefined, code: string, values: readonly string[] = []): void {
  assert.ok(shown !== undefined && shown.length > 3, code);
  assert.doesNotMatch(shown, /[A-Za-z]/, `${code}: ${shown}`);
  for (const value of values) assert.ok(shown.includes(value), `${code}: ${shown}`);
}

test("every code of the API is shown by a sentence in the reader's language, with the values of the answer", () => {
  assert.ok(sentences.length > 330);
  for (const { code, sentence, values } of sentences.filter(({ code }) => !withReason.includes(code))) {
    const { title, original } = describeError(new ApiError(sentence, { ...statusOf(400), reason: code }));
    assertTranslated(title, code, values);
    assert.equal(original, undefined, code);
  }
});

test("a reason that the API says in English stands apart from the sentence in the reader's language", () => {
  for (const code of withReason) {
    const [sentence] = [(errors as Readonly<Record<string, string | readonly string[]>>)[code]].flat();
    const reason = "The signature does not fit";
    const answer = new ApiError(sentence?.replace("{}", reason) ?? "", { ...statusOf(400), reason: code });
    const { title, original } = describeError(answer);
    assertTranslated(title, code);
    assert.doesNotMatch(title, /[. ]\.$/, title);
    assert.equal(original?.[1], reason);
  }
});

test("every code of a field is shown by a sentence in the reader's language", () => {
  for (const { code, sentence } of sentences) {
    const refused = new ApiError("Invalid request", {
      ...statusOf(400),
      reason: "invalid_request",
      details: { name: sentence },
      detailCodes: { name: code },
    });
    assertTranslated(fieldError(refused, "name"), code);
    if (code !== "invalid_request") assertTranslated(describeError(refused).hint, code);
  }
});

test("entries of a list are named by their numbers, each with the sentence of its own error", () => {
  const refused = new ApiError("Invalid request", {
    ...statusOf(400),
    details: { list: `Entries 2, 3: ${errors.field_empty}; Entry 5: ${errors.origin_invalid}` },
    detailCodes: { list: "field_empty" },
  });
  assertTranslated(fieldError(refused, "list"), "list", ["2", "3", "5"]);
  assert.deepEqual(
    entryErrors(refused, "list").map(({ numbers }) => numbers),
    [[2, 3], [5]],
  );
  for (const { sentence } of entryErrors(refused, "list")) assertTranslated(sentence, "list");
});

test("every reason why an envelope, a list or a key is refused is shown by a sentence in the reader's language", () => {
  for (const reason of reasons) {
    const { title, hint, original } = describeError(new RefusalError(reason));
    assertTranslated(title, reason);
    assertTranslated(hint, reason);
    assert.equal(original, undefined, reason);
  }
});

test("an answer that this app does not know is shown as the server's own words, apart from the sentence about it", () => {
  for (const error of [
    new ApiError("Something new", { ...statusOf(400), reason: "of_a_newer_version" }),
    new ApiError("Form was not found", { ...statusOf(404), reason: "form_not_found" }),
    new ApiError("Something new", statusOf(409)),
  ]) {
    const { title, hint, original } = describeError(error);
    assertTranslated(title, error.message);
    assert.equal(hint, undefined);
    assertTranslated(original?.[0], error.message);
    assert.equal(original?.[1], error.message);
  }
  const ofField = new ApiError("Something new", {
    ...statusOf(400),
    details: { name: "Must be newer" },
    detailCodes: { name: "newer" },
  });
  assertTranslated(fieldError(ofField, "name"), "newer");
});

test("the message of an error in the app is for developers: people read that something failed", () => {
  const { title, original } = describeError(new Error("There is no form here"));
  assertTranslated(title, "failed");
  assert.equal(original?.[1], "There is no form here");
  for (const status of [429, 500, 503])
    assertTranslated(describeError(new ApiError("No", statusOf(status))).title, `${status}`);
});

test("a sentence of the catalogue that an error carries is shown unchanged", () => {
  assert.deepEqual(describeError(new Explained(text.keys.notAKey)), { title: text.keys.notAKey });
  assert.equal(fieldError(new FieldRefused("name", text.common.saved), "name"), text.common.saved);
});

test("a change that was not answered is not said to have failed to arrive: it may have been done", () => {
  const lost = new TypeError("Failed to fetch");
  const { title: before, perhaps: nothing } = describeError(lost);
  assert.equal(nothing, undefined);
  for (const error of [lost, new ApiError("No", statusOf(503)), new DOMException("Late", "TimeoutError")]) {
    noteChange(error);
    const { title, perhaps } = describeError(error);
    assertTranslated(perhaps, title);
    assert.notEqual(title, before);
  }
});

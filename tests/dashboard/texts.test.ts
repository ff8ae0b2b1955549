import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { passwordLengthMin } from "../../packages/server/src/authentication/account-input.ts";
import { attemptsMax, gapsMilliseconds } from "../../packages/server/src/deliveries/delivery.ts";
import { binDaysMost } from "../../packages/server/src/forms/form-settings.ts";
import { answerMilliseconds } from "../../packages/server/src/webhooks/webhook-client.ts";
import { text } from "../../packages/texts/testing/english.ts";

test("a count above a thousand has its separator in every text", () => {
  const texts = allTexts(text, "").map(([name, make]) => ({
    name,
    made: call(make, 1005),
  }));
  assert.ok(texts.filter(({ made }) => made.includes("1,005")).length > 50, "it reads texts that say a count");
  const units = "ms|s|bytes|characters|API keys|keys|forms|submissions|fields|files|days|hours|minutes|sessions|types";
  for (const { name, made } of texts) assert.doesNotMatch(made, new RegExp(`\\b1005 (?:${units})\\b`), name);
});

test("a text that says a number of the service says the one that the service has", () => {
  const hours = (milliseconds: number) => Math.round(milliseconds / 3_600_000);
  const schedule = gapsMilliseconds.reduce((sum, gap) => sum + gap, 0);
  const expected = [
    [text.webhooks.urlIntro, `${hours(schedule)} hours`],
    [text.webhooks.testing, `${answerMilliseconds / 1000} seconds`],
    [text.session.passwordHint, `${passwordLengthMin} characters`],
    [text.bin.daysHint, `0 to ${binDaysMost}`],
    [text.bin.daysError, `0 to ${binDaysMost}`],
  ] as const;
  for (const [said, number] of expected) assert.ok(said.includes(number), `${number}: ${said}`);
  assert.equal(attemptsMax, 6, "text.webhooks.urlIntro says six");
});

/** Files that ask before what they show is lost, by the text that says that it is shown once. */
const guards: Readonly<Record<string, string>> = {
  "api-keys.createdIntro": "api-keys/create-api-key.tsx",
  "members.linkHint": "ui/invitation-link.tsx",
  "admissions.linkOnce": "admissions/pass-on.tsx",
  // At first they count only with the code of the app, on the next page.
  "second-factor.codesIntro": "account/new-backup-codes.tsx",
  "personal-key.wordsIntro": "key-copies/make-key.tsx",
};

test("everything that is shown this once asks before it is lost, and keeps the focus away from what closes it", async () => {
  const sources = join(import.meta.dirname, "..", "..", "packages", "dashboard", "src");
  const folder = join(sources, "..", "..", "texts", "src", "en", "dashboard");
  const said: string[] = [];
  for (const file of await readdir(folder))
    for (const [, name] of (await readFile(join(folder, file), "utf8")).matchAll(
      /^ +(\w+):(?:[^\n]|\n(?! +\w+:))*?shown only (?:this once|now)/gm,
    ))
      said.push(`${file.replace(".ts", "")}.${name}`);
  // The wizard of the recovery key is a page, whose guard recovery-pages.test.ts tries.
  assert.deepEqual(said.filter((name) => !name.startsWith("recovery.")).sort(), Object.keys(guards).sort());
  for (const [name, file] of Object.entries(guards))
    assert.match(await readFile(join(sources, file), "utf8"), /<ShownOnce |useLeaveGuard\(/, name);
  for (const file of ["api-keys/create-api-key.tsx", "ui/invitation-link.tsx", "account/backup-codes.tsx"])
    assert.match(await readFile(join(sources, file), "utf8"), /beginsAtTitle/, file);
});

test("no text takes the device for a computer", () => {
  const said = [...allTexts(text, "").map(([, make]) => call(make, 2)), ...wordsOf(text)];
  assert.ok(said.length > 500);
  for (const one of said) assert.doesNotMatch(one, /\b(?:this|your) (?:computer|desktop|laptop)\b/i);
});

type MakeText = (...counts: number[]) => unknown;

/** The text with this number for each of its values; some take lists. */
function call(make: MakeText, value: number): string {
  const values = (one: unknown) => Array(make.length).fill(one) as number[]; // `MakeText` stands for them all
  try {
    return String(make(...values(value)));
  } catch {
    return String(make(...values([value])));
  }
}

/** These take words where the others take a count. */
const takingWords = ["wrongOrigins", "planHint", "held"];

/** The texts that something is put into. */
function allTexts(part: object, path: string): [string, MakeText][] {
  return Object.entries(part).flatMap(([name, value]): [string, MakeText][] => {
    if (typeof value === "function") return takingWords.includes(name) ? [] : [[path + name, value]];
    return typeof value === "object" && value !== null ? allTexts(value, `${path}${name}.`) : [];
  });
}

/** The texts that nothing is put into. */
function wordsOf(part: unknown): string[] {
  if (typeof part === "string") return [part];
  return typeof part === "object" && part !== null ? Object.values(part).flatMap(wordsOf) : [];
}

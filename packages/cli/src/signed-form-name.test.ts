import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mock, test } from "node:test";
import { formatPersonalKey, generateReadingKey } from "@sealpost/envelope";
import { createReadingProgram } from "./testing/reading-program.ts";

const withKey = ["--identity", "key.txt"];

/**
 * The acts of SPECIFICATION.md section 25 that this program has, on a form's id: what stands next to each is the name that the envelope signs. Bringing back has a test of its own. `FORM`
 * and `PROGRAM` are put in.
 */
const acts = {
  "sealing for a program": [
    ...["keys", "readers", "add", "--form", "FORM", ...withKey],
    ...["--program", "Reports", "--recipient", "PROGRAM"],
  ],
  "taking a reader out": ["keys", "readers", "remove", "--form", "FORM", ...withKey, "Reports"],
  "beginning a key log": ["forms", "key-log", "begin", "FORM", ...withKey],
  "renewing a key log": ["forms", "key-log", "renew", "FORM", ...withKey],
  rotating: ["forms", "rotate", "FORM", ...withKey],
  "giving a key log up": ["forms", "key-log", "give-up", "FORM", ...withKey, "--yes"],
  "handing over": ["forms", "hand-over", "FORM", "ORGANIZATION", ...withKey],
} as const;

/** The two organizations, the form Contact with its envelope, and a service that calls it Hotline. */
async function setUp(t: Parameters<typeof createReadingProgram>[0]) {
  const world = await createReadingProgram(t);
  const { owner, folder, formId } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  await world.write([]);
  const { recipient } = await generateReadingKey();
  const second = await owner.account.request("POST", "/api/organizations", { name: "Second" });
  const put: Readonly<Record<string, string>> = {
    FORM: formId,
    PROGRAM: recipient,
    ORGANIZATION: second.body.organization.id,
  };
  const { fetch } = globalThis;
  let isLying = false;
  const lying = mock.method(globalThis, "fetch", async (input: string, init?: RequestInit) => {
    const answer = await fetch(input, init);
    if (!isLying || init?.method === "PATCH" || !/\/api\/forms\/[^/]*$/.test(input)) return answer;
    return new Response((await answer.text()).replace('"name":"Contact"', '"name":"Hotline"'), answer);
  });
  t.after(() => lying.mock.restore());
  const run = (words: readonly string[]) =>
    world.runAs(
      owner.account.token,
      words.map((word) => put[word] ?? word),
    );
  return {
    ...world,
    run,
    lie: (lies: boolean) => {
      isLying = lies;
    },
  };
}

test("B1: each act shows the name that the form's envelope signs, and where the server calls it something else, nothing is done before that name is expected", async (t) => {
  const { formId, run, lie } = await setUp(t);
  for (const [act, words] of Object.entries(acts)) {
    lie(true);
    const unsure = await run(words);
    assert.deepEqual([unsure.code, unsure.output], [2, ""], `${act}: ${unsure.errors}`);
    assert.match(unsure.errors, /called Contact in its envelope, and Hotline by the server/, act);
    assert.match(unsure.errors, /--expect-name.*Nothing was changed/, act);
    lie(false);
    const sure = await run([...words, "--expect-name", "Contact"]);
    // Envelopes are of one organization: the service hands no form with one over.
    assert.equal(sure.code, act === "handing over" ? 5 : 0, `${act}: ${sure.errors}`);
    assert.match(sure.errors, new RegExp(`${formId} is called Contact in its envelope$`, "m"), act);
  }
  const other = await run([...acts.rotating, "--expect-name", "Hotline"]);
  assert.deepEqual([other.code, other.output], [9, ""], other.errors);
  assert.match(other.errors, /not among the names that were expected/);
});

test("without a key, the name of a form with an envelope is taken from the server only if that is asked for", async (t) => {
  const { formId, run } = await setUp(t);
  assert.equal((await run(acts["beginning a key log"])).code, 0);
  const giveUp = ["forms", "key-log", "give-up", formId, "--yes"];
  const unsure = await run(giveUp);
  assert.deepEqual([unsure.code, unsure.output], [2, ""]);
  assert.match(unsure.errors, /signed in its envelope: add --identity, so that it is shown, or --unsigned-name/);
  const unsigned = await run([...giveUp, "--unsigned-name"]);
  assert.equal(unsigned.code, 0, unsigned.errors);
  assert.match(unsigned.errors, /called Contact by the server; no signature says so/);
});

test("both names are shown, and either of them is made that of the other", async (t) => {
  const { owner, formId, run } = await setUp(t);
  const names = async (...options: readonly string[]) => {
    const { code, output, errors } = await run(["forms", "name", formId, ...withKey, "--json", ...options]);
    assert.equal(code, 0, errors);
    return Object.values(JSON.parse(output));
  };
  assert.deepEqual(await names(), ["Contact", "Contact"]);
  await owner.client.forms.update(formId, { name: "Contact us" });
  assert.deepEqual(await names(), ["Contact", "Contact us"]);
  assert.deepEqual(await names("--sign"), ["Contact us", "Contact us"]);
  assert.deepEqual(await names(), ["Contact us", "Contact us"]);
  await owner.client.forms.update(formId, { name: "Hotline" });
  assert.deepEqual(await names("--restore"), ["Contact us", "Contact us"]);
  assert.equal((await owner.client.forms.get(formId)).name, "Contact us");
  assert.equal((await run(["forms", "name", formId, ...withKey, "--sign", "--restore"])).code, 2);
});

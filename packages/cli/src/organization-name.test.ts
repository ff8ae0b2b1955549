import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import { createReadingProgram } from "./testing/reading-program.ts";

const withKey = ["--identity", "key.txt"];

test("B2: the organization for which a form is made is shown by the name in its list, and where the server swaps it nothing is made", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder } = world;
  const { id } = owner.account;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const run = (...words: readonly string[]) => world.runAs(owner.account.token, words);
  const create = (...options: readonly string[]) => run("forms", "create", ...options, "--envelope", ...withKey);
  const rename = async (name: string) => assert.equal((await run("organizations", "rename", name)).code, 0);
  const sign = (name: string) => run("organizations", "sign-name", name, ...withKey);

  const unnamed = await create("First");
  assert.equal(unnamed.code, 0, unnamed.errors);
  assert.match(
    unnamed.errors,
    new RegExp(`^For the organization ${id}, whose list of members has no signed name`, "m"),
  );

  await rename("Council");
  assert.equal((await sign("Hotline")).code, 9, "the name that the person expects");
  assert.match((await sign("Council")).errors, /is called Council in its list of members/);
  const named = await create("Second");
  assert.equal(named.code, 0, named.errors);
  assert.ok(named.errors.includes(`For Council (${id}), by its list of members.\n`), named.errors);

  await rename("Hotline");
  const refused = await create("Third");
  assert.deepEqual([refused.code, refused.output], [2, ""], refused.errors);
  assert.match(
    refused.errors,
    /calls this organization Hotline, not Council\. If it is meant, name it: --organization acc_/,
  );
  assert.equal((await create("Third", "--organization", id)).code, 0);

  // A name that was changed by its owner is followed.
  assert.equal((await sign("Hotline")).code, 0);
  const followed = await create("Fourth");
  assert.equal(followed.code, 0, followed.errors);
  assert.match(followed.errors, /^For Hotline /m);
});

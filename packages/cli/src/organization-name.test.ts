import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import { fetchList } from "../../server/src/organizations/testing/test-member-list.ts";
import { createReadingProgram } from "./testing/reading-program.ts";

const withKey = ["--identity", "key.txt"];

test("B2: the organization for which a form is made is shown by the name in its list, and where the server swaps it nothing is made", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder } = world;
  const { id } = owner.account;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const run = (...words: readonly string[]) => world.runAs(owner.account.token, words);
  const create = (...options: readonly string[]) => run("forms", "create", ...options, "--envelope", ...withKey);
  const rename = async (name: string) =>
    assert.equal((await run("organizations", "rename", name, "--unsigned")).code, 0);
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

test("renaming the organization signs the new name first, and the server gets none that is not signed unless that is asked for", async (t) => {
  const world = await createReadingProgram(t);
  const { owner, folder } = world;
  writeFileSync(join(folder, "key.txt"), formatPersonalKey(owner.key), { mode: 0o600 });
  const rename = (...words: readonly string[]) =>
    world.runAs(owner.account.token, ["organizations", "rename", ...words]);
  const names = async () => {
    const { organizations } = await owner.client.organizations.list();
    return [(await fetchList(owner)).organizationName, organizations[0]?.name];
  };
  const before = await names();
  const keyless = await rename("Council");
  assert.notEqual(keyless.code, 0, "nothing signs it");
  assert.deepEqual(await names(), before);
  const renamed = await rename("Council", ...withKey);
  assert.equal(renamed.code, 0, renamed.errors);
  assert.deepEqual(await names(), ["Council", "Council"]);
  assert.equal((await rename("Hotline", "--unsigned")).code, 0);
  assert.deepEqual(await names(), ["Council", "Hotline"]);
  // Signed first: what the server refuses then is shown as another name, and the next try signs nothing twice.
  const { head } = await fetchList(owner);
  assert.equal((await rename("Council", ...withKey)).code, 0);
  assert.deepEqual(await names(), ["Council", "Council"]);
  assert.deepEqual((await fetchList(owner)).head, head);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "@sealpost/sdk";
import { createFakeClock } from "../../server/src/testing/fake-clock.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { watchNewSubmissions } from "./new-submissions.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

test("submissions are moved to the bin, listed there, restored and deleted for good; more than one wants a yes", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const settings = { encryption: false };
  const { id: formId } = (await account.request("POST", "/api/forms", { name: "Contact", settings })).body.form;
  const ids: string[] = [];
  for (let number = 0; number < 4; number++) {
    const payload = { encrypted: false, version: "plain1", fields: { number } };
    const posted = await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload } });
    ids.push(posted.body.submission.id);
  }
  const [one = "", two = "", three = ""] = ids;
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const { run } = createCommandLine(t);
  const submissions = async (...words: string[]) => run(["submissions", ...words], { environment });
  const look = async () => {
    const listed = await submissions("list", formId, "--json");
    const binned = await submissions("bin", formId, "--json");
    return [listed, binned].map(({ output }) =>
      (JSON.parse(output) as { id: string }[]).map(({ id }) => id).toSorted(),
    );
  };

  const single = await submissions("delete", formId, one);
  assert.deepEqual([single.code, single.output], [0, ""]);
  assert.match(single.errors, /Moved 1 submission to the bin/);
  const unsure = await submissions("delete", formId, two, three);
  assert.deepEqual([unsure.code, unsure.errors.includes("Add --yes to move 2 submissions to the bin")], [2, true]);
  assert.deepEqual(await look(), [ids.slice(1).toSorted(), [one]]);
  const sure = await submissions("delete", formId, two, three, "--yes", "--json");
  assert.deepEqual(JSON.parse(sure.output), { submissionsBinned: 2, submissionsDeleted: 0 });
  assert.equal((await submissions("delete", formId, two)).code, 4, "it is there already");
  assert.match((await submissions("bin", formId)).output, /^ID +RECEIVED +DELETED +GONE FOR GOOD\n(sub_\S+ .*\n){3}$/);

  assert.equal((await submissions("restore", formId, two)).code, 0);
  assert.equal((await submissions("restore", formId, two)).code, 4);
  assert.equal((await submissions("delete", formId, three, "--for-good")).code, 0, "also from the bin");
  assert.deepEqual(await look(), [[two, ids[3] ?? ""].toSorted(), [one]]);

  assert.equal((await submissions("delete", formId, "--all")).code, 2);
  assert.equal((await submissions("delete", formId, "--all", one)).code, 2);
  assert.equal((await submissions("delete", formId)).code, 2);
  assert.equal((await submissions("delete", formId, "--all", "--yes")).code, 0);
  assert.deepEqual(await look(), [[], [one, two, ids[3] ?? ""].toSorted()]);
  const unasked = await submissions("delete", formId, "--all", "--for-good");
  assert.match(unasked.errors, /Add --yes to delete 3 submissions for good/, "those in the bin would go too");
  assert.equal((await submissions("restore", formId, "--all")).code, 0);
  const before = String(Date.now() + 1000);
  assert.equal((await submissions("delete", formId, "--before", before, "--yes")).code, 0);
  assert.equal((await submissions("bin", formId, "--empty")).code, 2);
  assert.match((await submissions("bin", formId, "--empty", "--yes")).errors, /Deleted 3 submissions for good/);
  assert.match((await submissions("bin", formId, "--empty")).errors, /The bin is empty/);
  assert.deepEqual(await look(), [[], []]);
});

test("what is deleted for good is what was counted, in the bin too, whatever is received or named later", async (t) => {
  const clock = createFakeClock(Date.now() - 10_000);
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const settings = { encryption: false };
  const { id: formId } = (await account.request("POST", "/api/forms", { name: "Contact", settings })).body.form;
  const times: number[] = [];
  for (let number = 0; number < 4; number++) {
    clock.advance(1000);
    const payload = { encrypted: false, version: "plain1", fields: { number } };
    const posted = await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload } });
    times.push(posted.body.submission.receivedAt);
  }
  const { run } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const remove = (...words: string[]) =>
    run(["submissions", "delete", formId, "--for-good", ...words], { environment });
  const bin = () => run(["submissions", "delete", formId, "--all", "--yes"], { environment });
  assert.match((await bin()).errors, /Moved 4 submissions to the bin/);
  const third = String(times[2]);
  assert.match((await remove("--before", third)).errors, /Add --yes to delete 2 submissions for good/);
  assert.match((await remove("--before", third, "--yes")).errors, /Deleted 2 submissions for good/);
  const inTenYears = "2100-01-01";
  assert.match((await remove("--before", inTenYears)).errors, /Add --yes to delete 2 submissions for good/);
  assert.match((await remove("--all", "--yes")).errors, /Deleted 2 submissions for good/);
  assert.match((await remove("--before", inTenYears)).errors, /There was nothing to delete/);
});

test("where the newest is dated in the future, nothing is deleted for good that comes meanwhile, and a watcher sees it", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const settings = { encryption: false };
  const { id: formId } = (await account.request("POST", "/api/forms", { name: "Contact", settings })).body.form;
  const post = async (number: number): Promise<string> => {
    const payload = { encrypted: false, version: "plain1", fields: { number } };
    return (await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload } })).body.submission
      .id;
  };
  const daysAhead = 3 * 86_400_000;
  clock.jump(daysAhead);
  const early = await post(1);
  clock.jump(-daysAhead);

  const watcher = await watchNewSubmissions(
    createClient({ baseUrl: service.url, token: account.token }),
    formId,
    t.signal,
  );
  const late = await post(2);
  assert.deepEqual(
    (await watcher.take()).map(({ id }) => id),
    [late],
  );
  assert.deepEqual(await watcher.take(), []);

  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  const { run } = createCommandLine(t);
  const submissions = async (...words: string[]) => run(["submissions", ...words], { environment });
  const refused = await submissions("delete", formId, "--all", "--for-good", "--yes");
  assert.match(refused.errors, /The newest is dated .*, in the future/);
  assert.equal(JSON.parse((await submissions("list", formId, "--json")).output).length, 2);
  assert.equal((await submissions("delete", formId, early, late, "--for-good", "--yes")).code, 0);
  assert.equal(JSON.parse((await submissions("list", formId, "--json")).output).length, 0);
});

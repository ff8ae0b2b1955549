import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createTestService } from "../../../server/src/testing/test-service.ts";
import { createCommandLine } from "../testing/run-command-line.ts";

const service = await createTestService({ after });

test("an instance's log is fetched, checked, kept and compared with the head of the last time; a file of it needs no server", async (t) => {
  const [account, other] = [await service.signUp(), await service.signUp()];
  const { run, folder } = createCommandLine(t);
  const verify = (words: readonly string[], token = account.token, input = "") =>
    run(["verify-log", ...words], { environment: { SEALPOST_URL: service.url, SEALPOST_TOKEN: token }, input });
  const first = await verify([service.url, "--remember", "head.json", "--output", "log.ndjson"]);
  assert.deepEqual([first.code, first.errors], [0, ""]);
  const head = /^head (\d+:[0-9a-f]{64})$/m.exec(first.output)?.[1] ?? "";
  assert.match(first.output, new RegExp(`^${account.id}: 3 entries, .*\\n.*\\neach entry follows the one before\\n$`));
  const remembered = () => JSON.parse(readFileSync(join(folder, "head.json"), "utf8"));
  assert.equal(`${remembered().sequence}:${remembered().hash}`, head);

  await account.request("POST", "/api/forms", { name: "Contact", settings: { encryption: false } });
  const second = await verify([service.url, "--remember", "head.json", "--head", head, "--json"]);
  assert.deepEqual([second.code, second.errors], [0, ""]);
  const outcome = JSON.parse(second.output);
  assert.deepEqual([outcome.head.sequence, outcome.findings], [4, []]);
  assert.equal(remembered().sequence, 4);

  const file = readFileSync(join(folder, "log.ndjson"), "utf8");
  assert.equal((await verify(["log.ndjson", "--head", head], "")).code, 0);
  assert.equal((await verify(["-"], "", file)).code, 0);
  const old = await verify(["log.ndjson", "--remember", "head.json"], "");
  assert.equal(old.code, 9);
  assert.match(old.errors, /DIFFERS {2}the log ends with entry 3, before the noted entry 4: it was cut, or rewritten/);
  assert.equal(remembered().sequence, 4, "what differs is not remembered");
  const lines = file.split("\n");
  writeFileSync(
    join(folder, "changed.ndjson"),
    lines.with(2, (lines[2] ?? "").replace("session", "operator")).join("\n"),
  );
  const changed = await verify(["changed.ndjson", "--json"], "");
  assert.equal(changed.code, 9);
  assert.deepEqual(JSON.parse(changed.output).findings, [{ exit: "differs", message: "entry 2 was changed" }]);
  writeFileSync(join(folder, "part.ndjson"), [lines[0], ...lines.slice(2)].join("\n"));
  assert.match((await verify(["part.ndjson"], "")).errors, /entry 1 is missing/);

  const others = await verify([service.url, "--remember", "head.json"], other.token);
  assert.equal(others.code, 2);
  assert.match(others.errors, /has the head of another organization/);
  const { key } = (await account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  assert.equal((await verify([service.url], key)).code, 3);
  for (const words of [
    ["missing.ndjson"],
    ["log.ndjson", "--head", "3:abc"],
    ["log.ndjson", "--at-least", "x"],
    ["log.ndjson", "--output", "copy.ndjson"],
    [service.url, "--output", "log.ndjson"],
  ])
    assert.equal((await verify(words)).code, 2, words.join(" "));
  assert.equal((await verify(["https://elsewhere.example"])).code, 3);
  writeFileSync(join(folder, "head.json"), "{}");
  assert.match(
    (await verify(["log.ndjson", "--remember", "head.json"], "")).errors,
    /has no head: remove it to begin again/,
  );
});

test("a log that is cut off leaves no file that could be taken for a whole one", async (t) => {
  const { token } = await service.signUp();
  const { run, folder } = createCommandLine(t);
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: token };
  const fetchWhole = globalThis.fetch;
  const mocked = t.mock.method(globalThis, "fetch", async (input: string, init?: RequestInit) => {
    const answer = await fetchWhole(input, init);
    const text = await answer.text();
    const cut = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(text.slice(0, text.length * 0.6))),
      pull: (controller) => controller.error(new TypeError("terminated")),
    });
    return new Response(/export/.test(input) ? cut : text, answer);
  });
  const words = ["verify-log", service.url, "--output", "log.ndjson"];
  const ended = await run(words, { environment });
  assert.equal(ended.code, 6, ended.errors);
  assert.deepEqual(readdirSync(folder), []);
  mocked.mock.restore();
  assert.equal((await run(words, { environment })).code, 0);
  assert.deepEqual(readdirSync(folder), ["log.ndjson"]);
});

test("of two runs at once that remember a head, the newest stays, whichever ends last", async (t) => {
  const account = await service.signUp();
  const { run, folder } = createCommandLine(t);
  const verify = () =>
    run(["verify-log", service.url, "--remember", "head.json"], {
      environment: { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token },
    });
  const remembered = () => JSON.parse(readFileSync(join(folder, "head.json"), "utf8"));
  assert.equal((await verify()).code, 0);
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const fetchWhole = globalThis.fetch;
  let exports = 0;
  t.mock.method(globalThis, "fetch", async (input: string, init?: RequestInit) => {
    const answer = await fetchWhole(input, init);
    if (!/export/.test(input) || ++exports > 1) return answer;
    // It has been read at the server, and comes slowly.
    const text = await answer.text();
    begun.resolve();
    await release.promise;
    return new Response(text, answer);
  });
  const slow = verify();
  await begun.promise;
  for (const name of ["One", "Two"])
    await account.request("POST", "/api/forms", { name, settings: { encryption: false } });
  const quick = await verify();
  assert.equal(quick.code, 0, quick.errors);
  const newest = remembered();
  release.resolve();
  assert.equal((await slow).code, 0);
  assert.deepEqual(remembered(), newest);
  assert.deepEqual(readdirSync(folder), ["head.json"]);
});

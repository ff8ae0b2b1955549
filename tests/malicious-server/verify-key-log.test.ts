import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createClient } from "@sealpost/sdk";
import { type FormId, fingerprint } from "@sealpost/wire";
import { createCommandLine } from "../../packages/cli/src/testing/run-command-line.ts";
import { parseChecksums } from "../../packages/cli/src/verify/served-list.ts";
import { createKeyLog, createLogSigner } from "../../packages/embed/testing/key-log.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { createServedList } from "../../scripts/release/served-list.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { startAlteringProxy } from "./altering-proxy.ts";
import { writeRelease } from "./played-release.ts";

test("verify follows the key log that a page pins: another key than its newest, a log that is cut, forked, hidden or signed by a stranger, and a script that does not know the option are found", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const proxy = await startAlteringProxy(t, service.url);
  const { folder, run } = createCommandLine(t);
  const pair = takeKeyPair();
  const created = await account.request("POST", "/api/forms", { name: "Contact", publicKey: pair.publicKey });
  const formId = created.body.form.id as FormId;
  const [owner, stranger] = [await createLogSigner(), await createLogSigner()];
  const log = createKeyLog(formId, owner);
  const key = { version: 1, fingerprint: await fingerprint(pair.publicKey), hybridFingerprint: null };
  const other = { ...key, version: 2, fingerprint: await fingerprint(takeKeyPair().publicKey) };
  const [early, late] = [await log.add(key), await log.add(key)];
  const [first = "", second = ""] = log.entries;
  const { forms } = createClient({ baseUrl: service.url, token: account.token });
  await forms.addKeyLogEntry(formId, second, await forms.addKeyLogEntry(formId, first));

  const served = parseChecksums(createServedList()) ?? new Map<string, string>();
  const embeds = new Map([...served].filter(([path]) => path.startsWith("/embed/")));
  const release = writeRelease(folder, "embeds", embeds);
  const findScript = (name: RegExp) => [...embeds.keys()].find((path) => name.test(path)) ?? assert.fail();
  const [logScript, ordinary] = [findScript(/sealpost-key-log-\d.*js$/), findScript(/sealpost-\d.*js$/)];
  let [page, shown]: [string, string | undefined] = ["", undefined];
  proxy.alter = ({ path }) => {
    if (path === "/contact") return { status: 200, headers: {}, body: Buffer.from(page) };
    const isLog = path.startsWith(`/api/forms/${formId}/keys/log`);
    if (!isLog || shown === undefined) return undefined;
    return shown === "hidden" ? { status: 404, headers: {}, body: Buffer.from("{}") } : { body: Buffer.from(shown) };
  };
  const verify = async (pin: string, script = logScript) => {
    const bytes = new Uint8Array(await (await fetch(service.url + script)).arrayBuffer());
    const integrity = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
    const tag = `<script src="${proxy.url}${script}" integrity="${integrity}" crossorigin="anonymous"></script>`;
    page = `<!doctype html><form></form>${tag}<script>Sealpost.init("${formId}", { keyLog: "${pin}" });</script>`;
    return run(["verify", proxy.url, "--release", release, "--page", `${proxy.url}/contact`]);
  };
  for (const pin of [early, late]) {
    const { code, errors } = await verify(pin);
    assert.equal(code, 0, errors);
  }

  const [rotated, forked, foreign] = [log.fork(), createKeyLog(formId, owner, [first]), log.fork()];
  await rotated.add(other);
  await forked.add(key, owner, [owner, stranger]);
  await foreign.addForeign(other, stranger);
  const from = (entries: readonly string[], number: number) => entries.slice(number - 1).join("");
  const lies: readonly [shown: string, pin: string, message: RegExp][] = [
    [from(rotated.entries, 2), late, /is not the newest of its key log, so nobody can send/],
    [from(foreign.entries, 2), late, /has an entry that nobody signed who may/],
    [from(forked.entries, 2), late, /another entry in the place of the one that the page pins/],
    ["", late, /ends before the entry that the page pins/],
    ["hidden", late, /its key log /],
    [first.slice(0, -3), early, /is damaged/],
    [from(log.entries, 1), "1-no-head", /pins no entry of a key log/],
  ];
  for (const [lie, pin, message] of lies) {
    shown = lie;
    const { code, errors } = await verify(pin);
    assert.notEqual(code, 0, String(message));
    assert.match(errors, message);
  }
  shown = undefined;
  const { code, errors } = await verify(late, ordinary);
  assert.deepEqual([code, /which its script does not know/.test(errors)], [9, true], errors);
});

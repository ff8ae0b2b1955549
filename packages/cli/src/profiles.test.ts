import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { createTemporaryFolder } from "../../server/src/testing/temporary-folder.ts";
import { connect } from "./connection.ts";
import {
  configurationFolder,
  findCurrentName,
  findProfile,
  listProfiles,
  nameOfInstance,
  parseProfileName,
  profilePath,
  removeProfile,
  storeCurrentName,
  storeProfile,
} from "./profiles.ts";

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
const apiKey = { url: "https://forms.example.org", kind: "apiKey", key: "sp_key" } as const;
const session = {
  url: "https://forms.example.org",
  kind: "session",
  email: "zoe@example.com",
  cookie: "sealpost_session=a.b",
} as const;

test("a profile is kept for this user alone, replaced as a whole, found again and removed", async (t) => {
  const environment = { XDG_CONFIG_HOME: createTemporaryFolder(t) };
  assert.equal(await findProfile(environment, "work"), undefined);
  assert.deepEqual(await listProfiles(environment), []);
  for (const credentials of [apiKey, session]) {
    const path = await storeProfile(environment, "work", credentials);
    assert.deepEqual(await findProfile(environment, "work"), { name: "work", credentials });
    assert.equal(await modeOf(path), 0o600);
    assert.equal(await modeOf(dirname(path)), 0o700);
    assert.deepEqual(await readdir(dirname(path)), ["work.json"]);
  }
  await storeCurrentName(environment, "work");
  assert.equal(await findCurrentName(environment), "work");
  assert.equal(await modeOf(join(configurationFolder(environment), "current-profile")), 0o600);
  await removeProfile(environment, "work");
  assert.equal(await findProfile(environment, "work"), undefined);
  assert.equal(await findCurrentName(environment), undefined);
});

test("the format of the README is read and written, member by member", async (t) => {
  const environment = { XDG_CONFIG_HOME: createTemporaryFolder(t) };
  const readme = await readFile(join(import.meta.dirname, "../README.md"), "utf8");
  const examples = [...readme.matchAll(/^\{ "url": .*\}$/gm)].map(([text]) => text);
  assert.equal(examples.length, 2);
  for (const text of examples) {
    await mkdir(dirname(profilePath(environment, "documented")), { recursive: true });
    await writeFile(profilePath(environment, "documented"), text);
    const { credentials } = (await findProfile(environment, "documented")) ?? assert.fail("it is there");
    assert.deepEqual(credentials, JSON.parse(text));
  }
});

test("a profile's file that others could read before is closed to them", async (t) => {
  const environment = { XDG_CONFIG_HOME: createTemporaryFolder(t) };
  const path = profilePath(environment, "work");
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "{}", { mode: 0o644 });
  await storeProfile(environment, "work", apiKey);
  assert.equal(await modeOf(path), 0o600);
});

test("a damaged profile says what to do and shows nothing of itself", async (t) => {
  const environment = { XDG_CONFIG_HOME: createTemporaryFolder(t), SEALPOST_PROFILE: "work" };
  await mkdir(dirname(profilePath(environment, "work")), { recursive: true });
  for (const text of [
    "",
    "sp_secret",
    "[]",
    "null",
    '{"url":"sp_secret","kind":"apiKey","key":"k"}',
    '{"url":"https://a","kind":"x"}',
    '{"url":"https://a","kind":"session","cookie":"sp_secret"}',
  ]) {
    await writeFile(profilePath(environment, "work"), text);
    await assert.rejects(connect({ environment, now: Date.now }), (error: Error) => {
      assert.match(error.message, /work\.json is damaged: sign in again/);
      assert.doesNotMatch(error.message, /sp_secret/);
      return true;
    });
  }
});

test("a relative XDG_CONFIG_HOME is ignored, as its specification wants", () => {
  assert.equal(configurationFolder({ XDG_CONFIG_HOME: "relative" }), configurationFolder({}));
});

test("a kept credential goes to no other instance", async (t) => {
  const environment = { XDG_CONFIG_HOME: createTemporaryFolder(t) };
  await storeProfile(environment, "work", apiKey);
  await storeCurrentName(environment, "work");
  const connectAt = (more: object) => connect({ environment: { ...environment, ...more }, now: Date.now });
  await assert.doesNotReject(connectAt({}));
  await assert.doesNotReject(connectAt({ SEALPOST_URL: "https://forms.example.org/" }));
  const elsewhere = { SEALPOST_URL: "https://other.example.org" };
  await assert.rejects(connectAt(elsewhere), { exit: "unauthorized" });
  await assert.rejects(connectAt({ ...elsewhere, SEALPOST_PROFILE: "work" }), { exit: "unauthorized" });
  await assert.doesNotReject(connectAt({ ...elsewhere, SEALPOST_TOKEN: "sp_other" }));
});

test("every host is the name of a profile, and a name never leads out of the folder", () => {
  for (const [url, name] of [
    ["https://forms.example.org", "forms.example.org"],
    ["http://localhost:8080", "localhost-8080"],
    ["http://[::1]:8080", "1-8080"],
    ["https://bücher.example", "xn--bcher-kva.example"],
    [`https://${"a".repeat(60)}.${"b".repeat(60)}.example`, `${"a".repeat(60)}.${"b".repeat(29)}`],
  ] as const) {
    assert.equal(nameOfInstance(url), name);
    assert.equal(parseProfileName(name), name);
    assert.equal(parseProfileName(`${name}-12`), `${name}-12`);
  }
  for (const text of ["", ".", "..", "../x", "a/b", "a\\b", "Work", "a b", "-a", "a.", `a${"b".repeat(100)}`, "a\nb"])
    assert.throws(() => parseProfileName(text), { exit: "usage" }, text);
});

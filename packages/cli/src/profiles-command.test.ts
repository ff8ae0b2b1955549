import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { createTestService, type TestService } from "../../server/src/testing/test-service.ts";
import { findProfile, profilePath } from "./profiles.ts";
import { type CommandLine, createCommandLine } from "./testing/run-command-line.ts";

const password = "correct horse battery";

async function createInstances(t: TestContext, people: readonly string[] = ["zoe@example.com"]) {
  const services = await Promise.all([createTestService(t), createTestService(t)]);
  for (const service of services) for (const person of people) await service.signUp(person);
  return services as [TestService, TestService];
}

function createLogin({ run }: CommandLine) {
  return (service: TestService, email = "zoe@example.com", ...more: string[]) =>
    run(["login", service.url, "--email", email, "--password-stdin", ...more], { input: password });
}

function nameOf({ url }: TestService): string {
  return new URL(url).host.replace(":", "-");
}

async function listNames({ run }: CommandLine): Promise<Record<string, boolean>> {
  const { output, errors } = await run(["profiles", "list", "--json"]);
  const all: readonly { name: string; current: boolean }[] = JSON.parse(output || assert.fail(errors));
  return Object.fromEntries(all.map(({ name, current }) => [name, current]));
}

test("signing in to a second instance keeps the first, says so, and each is a command away", async (t) => {
  const [first, second] = await createInstances(t);
  const commandLine = createCommandLine(t);
  const { run } = commandLine;
  const login = createLogin(commandLine);
  assert.equal((await login(first)).errors, `Signed in to ${first.url} as zoe@example.com\n`);
  const { errors } = await login(second);
  const [one, two] = [nameOf(first), nameOf(second)];
  assert.deepEqual(errors.trimEnd().split("\n"), [
    `Signed in to ${second.url} as zoe@example.com`,
    `Made the profile ${two}`,
    `${two} is the current profile now, and no longer ${one}: \`sealpost profiles use ${one}\` goes back`,
  ]);
  assert.deepEqual(await listNames(commandLine), { [one]: false, [two]: true });

  assert.equal((await run(["forms", "create", "Here"])).code, 0);
  assert.match((await run(["forms", "list"])).output, /Here/);
  assert.doesNotMatch((await run(["forms", "list", "--profile", one])).output, /Here/);
  assert.equal((await run(["profiles", "use", one])).code, 0);
  const back = await run(["forms", "list"]);
  assert.deepEqual([back.code, /Here/.test(back.output), back.errors], [0, false, ""]);
  // The address alone finds its profile.
  assert.match((await run(["forms", "list"], { environment: { SEALPOST_URL: second.url } })).output, /Here/);
});

test("no list shows what opens anything", async (t) => {
  const [first] = await createInstances(t);
  const commandLine = createCommandLine(t);
  const environment = { XDG_CONFIG_HOME: join(commandLine.folder, "config") };
  await createLogin(commandLine)(first);
  const kept = (await findProfile(environment, nameOf(first)))?.credentials;
  const cookie = kept?.kind === "session" ? kept.cookie : assert.fail("it is a session");
  for (const parameters of [
    ["profiles", "list"],
    ["profiles", "list", "--json"],
  ]) {
    const { output } = await commandLine.run(parameters);
    assert.match(output, /zoe@example\.com/);
    assert.ok(!output.includes(cookie.split("=")[1] ?? ""));
  }
});

test("another account of the same instance gets a profile of its own; the same one is renewed in its own", async (t) => {
  const [first] = await createInstances(t, ["zoe@example.com", "adam@example.com"]);
  const commandLine = createCommandLine(t);
  const login = createLogin(commandLine);
  const name = nameOf(first);
  await login(first);
  const other = await login(first, "adam@example.com");
  assert.match(other.errors, new RegExp(`Made the profile ${name}-2 in addition to that of zoe@example\\.com`));
  assert.deepEqual(await listNames(commandLine), { [name]: false, [`${name}-2`]: true });
  const again = await login(first, "Adam@Example.com");
  assert.equal(again.errors, `Signed in to ${first.url} as Adam@Example.com\n`);
  assert.match((await login(first)).errors, new RegExp(`${name} is the current profile now, and no longer ${name}-2`));
  assert.deepEqual(await listNames(commandLine), { [name]: true, [`${name}-2`]: false });
  const several = await commandLine.run(["profiles", "remove", name]);
  assert.match(several.errors, /There is no current profile now/);
  assert.match(
    (await commandLine.run(["forms", "list"])).errors,
    new RegExp(`There is no current profile\\..*${name}-2`),
  );
  assert.equal((await commandLine.run(["forms", "list"], { environment: { SEALPOST_URL: first.url } })).code, 0);
});

test("a profile that is named is never given to another account, and nobody is asked for a password first", async (t) => {
  const [first, second] = await createInstances(t, ["zoe@example.com", "adam@example.com"]);
  const commandLine = createCommandLine(t);
  const login = createLogin(commandLine);
  assert.match((await login(first, "zoe@example.com", "--profile", "work")).errors, /Made the profile work\n$/);
  for (const [service, email] of [
    [first, "adam@example.com"],
    [second, "zoe@example.com"],
  ] as const) {
    const { code, errors } = await commandLine.run(["login", service.url, "--email", email, "--profile", "work"]);
    assert.equal(code, 2);
    assert.match(errors, /The profile work is for .*, zoe@example\.com\. Give another name/);
  }
  assert.equal((await login(first, "zoe@example.com", "--profile", "work")).code, 0);
  assert.deepEqual(await listNames(commandLine), { work: true });
});

test("an API key never takes the place of a session or of another key unasked", async (t) => {
  const [first] = await createInstances(t);
  const commandLine = createCommandLine(t);
  const { run } = commandLine;
  await createLogin(commandLine)(first);
  const createKey = async (name: string) => (await run(["keys", "create", name])).output.trim();
  const [one, two] = [await createKey("one"), await createKey("two")];
  const keep = (key: string, ...more: string[]) =>
    run(["login", first.url, "--api-key-stdin", ...more], { input: key });
  const name = nameOf(first);
  assert.match((await keep(one)).errors, new RegExp(`Made the profile ${name}-2 `));
  assert.match((await keep(two)).errors, new RegExp(`Made the profile ${name}-3 `));
  assert.equal((await keep(two)).errors, `Kept the API key for ${first.url}\n`);
  assert.equal(Object.keys(await listNames(commandLine)).length, 3);
  // Where the profile is named, a key is renewed, and that is said.
  const renewed = await keep(one, "--profile", `${name}-3`);
  assert.equal(renewed.code, 0);
  assert.match(renewed.errors, new RegExp(`It replaces API key ${two.slice(0, 10)}… in the profile ${name}-3`));
  assert.equal((await keep(one, "--profile", name)).code, 2);
});

test("signing out ends the profile that is in use, and turns to no other one", async (t) => {
  const [first, second] = await createInstances(t);
  const commandLine = createCommandLine(t);
  const { run } = commandLine;
  const login = createLogin(commandLine);
  await login(first);
  await login(second);
  const out = await run(["logout"]);
  assert.equal(
    out.errors,
    `Signed out of ${second.url}\nThere is no current profile now: choose one with \`sealpost profiles use <name>\`\n`,
  );
  assert.equal((await run(["forms", "list"])).code, 3);
  assert.equal((await run(["logout", "--profile", nameOf(first)])).errors, `Signed out of ${first.url}\n`);
  assert.match((await run(["forms", "list"])).errors, /You are not signed in/);
});

test("a profile whose instance is gone can be removed", async (t) => {
  const commandLine = createCommandLine(t);
  const environment = { XDG_CONFIG_HOME: join(commandLine.folder, "config") };
  const { storeProfile } = await import("./profiles.ts");
  const gone = { url: "http://127.0.0.1:1", kind: "session", email: "zoe@example.com", cookie: "a=b" } as const;
  const path = await storeProfile(environment, "gone", gone);
  assert.equal(path, profilePath(environment, "gone"));
  const removed = await commandLine.run(["profiles", "remove", "gone"]);
  assert.equal(removed.code, 0);
  assert.match(removed.errors, /could not be ended: The server could not be reached.*\n.*Removed the profile gone\n$/s);
  assert.equal((await commandLine.run(["profiles", "remove", "gone"])).code, 2);
  const unknown = await commandLine.run(["forms", "list", "--profile", "gone"]);
  assert.equal(unknown.code, 2);
  assert.match(unknown.errors, /There is no profile gone/);
});

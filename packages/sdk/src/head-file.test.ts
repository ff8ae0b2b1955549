import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { closeAtEnd, createTemporaryFolder } from "../../server/src/testing/temporary-folder.ts";
import { createHeadFile } from "./head-file.ts";
import { describeOwner, isGone } from "./lock-owner.ts";

const increment = (value: unknown) => ((value as number | undefined) ?? 0) + 1;

test("several programs at once lose none of their changes, and leave one file that nobody else can read", async (t) => {
  const folder = createTemporaryFolder(t);
  const path = join(folder, "heads.json");
  const stores = [createHeadFile(path), createHeadFile(path), createHeadFile(path)];
  assert.equal(await stores[0]?.find("a"), undefined);
  await Promise.all(stores.flatMap((store) => ["a", "b", "a"].map((name) => store.change(name, increment))));
  assert.deepEqual([await stores[0]?.find("a"), await stores[1]?.find("b")], [6, 3]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(folder), ["heads.json"]);
  const before = readFileSync(path, "utf8");
  await stores[0]?.change("a", () => undefined);
  assert.equal(readFileSync(path, "utf8"), before);
});

test("a list has a file of its own, which several programs replace whole, and which nobody else can read", async (t) => {
  const folder = createTemporaryFolder(t);
  const path = join(folder, "heads.json");
  const [one, other] = [createHeadFile(path).lists, createHeadFile(path).lists];
  assert.ok(one !== undefined && other !== undefined);
  assert.equal(await one.find("acc_1"), undefined);
  const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(100_000));
  await Promise.all(texts.map((text, index) => (index % 2 === 0 ? one : other).keep("acc_1", text)));
  assert.ok(texts.includes(String(await one.find("acc_1"))));
  await other.keep("acc_2", "another");
  assert.equal(await one.find("acc_2"), "another");
  assert.deepEqual(readdirSync(folder).sort(), ["heads.json.acc_1.list", "heads.json.acc_2.list"]);
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600);
  await one.keep("acc_1", undefined);
  await one.keep("acc_1", undefined);
  assert.deepEqual(readdirSync(folder), ["heads.json.acc_2.list"]);
  for (const name of ["../acc_1", "", "a/b", "a".repeat(129)]) await assert.rejects(one.keep(name, "text"), TypeError);
});

test("the lock of a program that was killed is taken over, and that of one at work is waited for", async (t) => {
  const folder = createTemporaryFolder(t);
  const path = join(folder, "heads.json");
  const lock = `${path}.lock`;
  const store = createHeadFile(path);
  writeFileSync(lock, "killed");
  utimesSync(lock, new Date(0), new Date(0));
  await store.change("a", increment);
  assert.ok(!existsSync(lock));

  writeFileSync(lock, "at work");
  const changing = store.change("a", (value) => {
    assert.ok(!existsSync(lock) || readFileSync(lock, "utf8") !== "at work");
    return increment(value);
  });
  assert.equal(await store.find("a"), 1);
  rmSync(lock);
  await changing;
  assert.equal(await store.find("a"), 2);
});

test("the lock of a program that was killed while it held it is free at once, and one that is alive keeps it", async (t) => {
  const path = join(createTemporaryFolder(t), "heads.json");
  const lock = `${path}.lock`;
  const holdForever = `
    import { createHeadFile } from ${JSON.stringify(new URL("./head-file.ts", import.meta.url).href)};
    createHeadFile(${JSON.stringify(path)}).change("a", () => {
      console.log("held");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const flags = ["--conditions=@sealpost/source", "--input-type=module", "--eval", holdForever];
  const writing = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = once(writing, "exit");
  closeAtEnd(t, () => writing.kill("SIGKILL"));
  await once(writing.stdout, "data");
  const held = readFileSync(lock, "utf8");
  const store = createHeadFile(path);
  const began = Date.now();
  const changing = store.change("a", increment);
  const probe = createHeadFile(`${path}.other`);
  for (let times = 0; times < 20; times++) await probe.change("a", increment);
  assert.equal(readFileSync(lock, "utf8"), held, "control: it is waited for");
  writing.kill("SIGKILL");
  await gone;
  await changing;
  assert.ok(Date.now() - began < 25_000, "it was free before it was old");
  assert.equal(await store.find("a"), 1);
  assert.ok(!existsSync(lock));
});

test("a lock that names another program under the same number, or nobody, is not waited for until it is old", async (t) => {
  const path = join(createTemporaryFolder(t), "heads.json");
  const lock = `${path}.lock`;
  const store = createHeadFile(path);
  const [machine, pid, start] = (await describeOwner()).split(" ");
  assert.equal(await isGone(`${machine} ${pid} ${start}`), false);
  assert.equal(await isGone(`elsewhere ${pid} ${start}`), false, "on another machine nobody knows");
  assert.equal(await isGone("at work"), false);
  if (process.platform === "linux") {
    writeFileSync(lock, `token ${machine} ${pid} 1`);
    await store.change("a", increment);
  }
  writeFileSync(lock, "");
  utimesSync(lock, new Date(), new Date(Date.now() - 2_000));
  await store.change("b", increment);
  assert.equal(await store.find("b"), 1);
});

test("a program that was halted for so long that its lock was taken over writes nothing", async (t) => {
  const path = join(createTemporaryFolder(t), "heads.json");
  const store = createHeadFile(path);
  await store.change("a", () => "first");
  const halted = store.change("a", () => {
    writeFileSync(`${path}.lock`, "of another");
    return "late";
  });
  await assert.rejects(halted, /Another program has taken/);
  assert.equal(await store.find("a"), "first");
  assert.equal(readFileSync(`${path}.lock`, "utf8"), "of another");
});

test("a damaged file is refused, and never taken for an empty one", async (t) => {
  const path = join(createTemporaryFolder(t), "heads.json");
  const store = createHeadFile(path);
  await store.change("a", () => "first");
  const whole = readFileSync(path, "utf8");
  for (const text of [
    "",
    "{",
    "null",
    "[]",
    '"text"',
    whole.slice(0, -10),
    '{"sealpost":"heads","version":2,"heads":{}}',
  ]) {
    writeFileSync(path, text);
    await assert.rejects(store.find("a"), /is damaged, or not what remembers/, text);
    await assert.rejects(store.change("a", increment), /is damaged/, text);
    assert.equal(readFileSync(path, "utf8"), text);
  }
});

test("what would make the file too large to be read is refused, and the file stays as it was", async (t) => {
  const path = join(createTemporaryFolder(t), "heads.json");
  const store = createHeadFile(path);
  await store.change("a", () => "first");
  const before = readFileSync(path, "utf8");
  await assert.rejects(
    store.change("b", () => "x".repeat(16 * 1024 * 1024)),
    /would be larger than 16777216 bytes, and stays as it was/,
  );
  assert.equal(readFileSync(path, "utf8"), before);
  assert.equal(await store.find("a"), "first");
});

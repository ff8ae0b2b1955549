import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onEither } from "../testing/test-database.ts";
import { endingSignals } from "./before-end.ts";
import { keepNewest } from "./keep-newest.ts";
import { makePartFolder } from "./part-folder.ts";

/** A process that writes the backup `file`, and has begun. */
async function startWriting(file: string) {
  const script = `
    const { makePartFolder } = await import(${JSON.stringify(join(import.meta.dirname, "part-folder.ts"))});
    const { writeFileSync } = await import("node:fs");
    const { createBeforeEnd } = await import(${JSON.stringify(join(import.meta.dirname, "before-end.ts"))});
    writeFileSync(makePartFolder(process.argv[1], createBeforeEnd(process)).path + "/copy", "");
    console.log("begun");
    setInterval(() => {}, 1_000);`;
  const child = spawn(
    process.execPath,
    ["--conditions=@sealpost/source", "--input-type=module", "--eval", script, file],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  await once(child.stdout, "data");
  return child;
}

const name = (day: number) => `sealpost-202611${String(day).padStart(2, "0")}T040000Z.backup`;

test(
  "a backup that a signal ends leaves nothing, and one that is killed leaves what the next one removes",
  onEither,
  async (t) => {
    const folder = createTemporaryFolder(t);
    for (const signal of endingSignals) {
      const child = await startWriting(join(folder, name(1)));
      child.kill(signal);
      assert.deepEqual(await once(child, "exit"), [null, signal]);
      assert.deepEqual(readdirSync(folder), [], signal);
    }
    for (const day of [1, 2]) {
      const child = await startWriting(join(folder, name(day)));
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    // The second had removed what was left of the first.
    assert.deepEqual(readdirSync(folder), [`${name(2)}.part`]);
    const next = makePartFolder(join(folder, name(2)));
    assert.deepEqual([readdirSync(folder), readdirSync(next.path)], [[`${name(2)}.part`], ["lock"]]);
    next.remove();
    assert.deepEqual(readdirSync(folder), []);
  },
);

test("what another process writes, and a folder of somebody else, are left alone", onEither, async (t) => {
  const folder = createTemporaryFolder(t);
  const child = await startWriting(join(folder, name(1)));
  t.after(() => child.kill("SIGKILL"));
  const other = join(folder, `${name(2)}.part`);
  mkdirSync(other);
  writeFileSync(join(other, "notes"), "");
  const next = makePartFolder(join(folder, name(3)));
  assert.deepEqual(
    readdirSync(folder).sort(),
    [1, 2, 3].map((day) => `${name(day)}.part`),
  );
  next.remove();
  assert.ok(existsSync(join(folder, `${name(1)}.part`, "copy")));
  for (const day of [1, 2])
    assert.throws(() => makePartFolder(join(folder, name(day))), /is in the way: another backup is being written/);
});

test(
  "of backups in a folder the newest are kept, whatever a clock said, and the one that was just made is never removed",
  onEither,
  (t) => {
    const folder = createTemporaryFolder(t);
    const made = name(9);
    const ahead = ["sealpost-20770101T040000Z.backup", "sealpost-20770102T040000Z.backup"];
    const others = ["notes", "sealpost-1.backup", `${name(1)}.part`];
    for (const file of [...[5, 6, 7, 8].map(name), made, ...ahead, ...others]) writeFileSync(join(folder, file), "");
    assert.deepEqual(keepNewest(join(folder, made), 3), { removed: [name(5), name(6)], ahead });
    assert.deepEqual(keepNewest(join(folder, made), 1), { removed: [name(7), name(8)], ahead });
    assert.deepEqual(keepNewest(join(folder, made), 1), { removed: [], ahead });
    assert.deepEqual(readdirSync(folder).sort(), [...others, made, ...ahead].sort());
  },
);

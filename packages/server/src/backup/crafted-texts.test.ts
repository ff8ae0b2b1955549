import assert from "node:assert/strict";
import { chmodSync, copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { parseConfig } from "../config/config.ts";
import { startService } from "../service.ts";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onSqlite } from "../testing/test-database.ts";
import { systemClock } from "../time/clock.ts";
import { backUp } from "./backup.ts";
import { createShowProgress } from "./show-progress.ts";

/** Clears a terminal and writes at its top; another colour by a C1 character; and turns the direction of what follows. */
const hostile = "9.9\u001b[2J\u001b[1;1H\u009b31m\u202eRestored and compared 12 rows";
const ofTerminal = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Where a backup has a text of its own that a refusal of `restore` repeats. */
const crafts: Readonly<Record<string, (database: DatabaseSync, manifest: Record<string, unknown>) => void>> = {
  version: (_, manifest) => Object.assign(manifest, { migration: "zzz", version: hostile }),
  object: (database) => database.exec(`create table "x${hostile}" (a)`),
};

test("what a crafted backup says of itself moves no cursor and hides no text at the terminal", onSqlite, async (t) => {
  const folder = createTemporaryFolder(t);
  const config = parseConfig({ SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "silent" });
  await (await startService({ config, clock: systemClock })).stop();
  const { file } = await backUp({ config, to: join(folder, "own"), now: 0, onProgress: () => {} });
  for (const [name, craft] of Object.entries(crafts)) {
    const crafted = join(folder, name);
    copyFileSync(file, crafted);
    chmodSync(crafted, 0o600);
    const database = new DatabaseSync(crafted);
    const manifest = JSON.parse(String(database.prepare("select manifest from backup").get()?.manifest));
    craft(database, manifest);
    database.prepare("update backup set manifest = ?").run(JSON.stringify(manifest));
    database.close();
    const parameters = ["restore", "--from", crafted, "--secret-file", join(folder, "secret")];
    const { code, stdout, stderr } = await runCommand(parameters, { SEALPOST_DATA: createTemporaryFolder(t) });
    assert.equal(code, 1, stderr);
    assert.match(stderr, /Restored and compared 12 rows/, "a control: it is repeated");
    for (const line of (stdout + stderr).split("\n")) assert.doesNotMatch(line, ofTerminal, name);
  }
});

test("progress counts up at a terminal alone, a timer gets none, and a table's name does nothing there", () => {
  const written = (isTTY: boolean, isQuiet = true) => {
    const pieces: string[] = [];
    const show = createShowProgress({ isTTY, write: (piece: string) => pieces.push(piece) > 0 } as never, { isQuiet }); // all that it uses
    for (const rows of [1, 2]) show({ step: "Restoring", table: hostile, rows, total: 2 });
    return pieces.join("");
  };
  assert.equal(written(false), "");
  assert.match(written(false, false), /^Restoring .*: 2 of 2\n$/);
  assert.doesNotMatch(written(true).replaceAll(/[\r\n]/g, ""), ofTerminal);
  assert.match(written(true), /2 of 2 *\n$/);
});

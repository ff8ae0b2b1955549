import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { test } from "node:test";
import { startServiceProcess } from "../../../../tests/support/service-process.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onSqlite } from "../testing/test-database.ts";
import { classifyStorage } from "./check-storage.ts";

test("a disk that runs full is reported before it is full", () => {
  const levels = [-1, 0, 1, 1000, 2000, 2001].map(
    (leftBytes) => classifyStorage({ databaseUrl: undefined }, { leftBytes, reserveBytes: 1000 }).level,
  );
  assert.deepEqual(levels, ["problem", "problem", "warning", "warning", "warning", "ok"]);
});

test(
  "a start on a data folder that others may look into says so once, with what to do; on a closed one nothing",
  onSqlite,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const start = async (mode: number) => {
      chmodSync(folder, mode);
      const environment = { SEALPOST_DATA: folder, SEALPOST_PORT: "0", SEALPOST_LOG_LEVEL: "warn" };
      const service = await startServiceProcess(environment);
      await service.kill();
      const lines = service.output().split("\n");
      return lines.flatMap((line) => (line.startsWith("{") ? [String(JSON.parse(line).msg)] : []));
    };
    const warning = `Other users of this machine may open ${folder} (mode 755): chmod 700 ${folder}`;
    assert.deepEqual(await start(0o755), [warning]);
    assert.deepEqual(await start(0o700), []);
  },
);

import assert from "node:assert/strict";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { parseConfig } from "../../server/src/config/config.ts";
import { dropFormerSecrets, rotateSecret } from "../../server/src/operators/secret-administration.ts";
import { createTemporaryFolder } from "../../server/src/testing/temporary-folder.ts";
import { createTestDatabase, onSqlite } from "../../server/src/testing/test-database.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { nameOfInstance, profilePath, removeProfile, replaceCookie, storeProfile } from "./profiles.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

test("a session that is used after the server's secret was rotated outlives the former secret", onSqlite, async (t) => {
  const folder = createTemporaryFolder(t);
  await createTestDatabase(t, folder);
  const service = await createTestService(t, { folder, secretMilliseconds: 20, environment: {} });
  await service.signUp("zoe@example.com");
  const commandLine = createCommandLine(t);
  const { run } = commandLine;
  await run(["login", service.url, "--email", "zoe@example.com", "--password-stdin"], {
    input: "correct horse battery",
  });
  const path = profilePath({ XDG_CONFIG_HOME: join(commandLine.folder, "config") }, nameOfInstance(service.url));
  const before = await readFile(path, "utf8");

  const config = parseConfig({ SEALPOST_DATA: folder });
  await rotateSecret(config, { onStep: () => {}, onBatch: () => {} });
  // Several at once, as in a script.
  const runs = await Promise.all(Array.from({ length: 4 }, () => run(["forms", "list"])));
  assert.deepEqual(
    runs.map(({ code }) => code),
    [0, 0, 0, 0],
  );
  assert.notEqual(await readFile(path, "utf8"), before);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dirname(path)), [`${nameOfInstance(service.url)}.json`]);

  await dropFormerSecrets(config);
  const { cookie } = JSON.parse(before);
  const askWithFormer = () => service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
  while ((await askWithFormer()).status === 200); // until the service has seen that
  const { code, errors } = await run(["forms", "list"]);
  assert.deepEqual([code, errors], [0, ""]);
});

test("a renewed cookie gets into no profile that has another session by now, or is gone", async (t) => {
  const environment = { XDG_CONFIG_HOME: createTemporaryFolder(t) };
  const credentials = { kind: "session", url: "https://forms.example.org", email: "zoe@example.com" } as const;
  await storeProfile(environment, "work", { ...credentials, cookie: "session=another" });
  await replaceCookie(environment, "work", { former: "session=former", cookie: "session=renewed" });
  assert.match(await readFile(profilePath(environment, "work"), "utf8"), /session=another/);
  await removeProfile(environment, "work");
  await replaceCookie(environment, "work", { former: "session=another", cookie: "session=renewed" });
  await assert.rejects(readFile(profilePath(environment, "work")), { code: "ENOENT" });
});

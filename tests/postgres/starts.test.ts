import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { findFreePort } from "../../packages/server/src/testing/postgres-server.ts";
import { serverProgram } from "../../packages/server/src/testing/server-program.ts";
import { closeAtEnd, createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import {
  createTestDatabase,
  onPostgresAlone,
  openTestDatabase,
} from "../../packages/server/src/testing/test-database.ts";
import { startDatabaseProxy } from "./database-proxy.ts";
import {
  type Cause,
  causes,
  crashFile,
  crashWhile,
  makeSecret,
  type Surroundings,
  secretFile,
  tokenFile,
  validToken,
} from "./start-causes.ts";

/** `npm run test:starts` tries all of them, with one process and with two; the first with two is in `npm run test:postgres`. */
const isWhole = process.env.SEALPOST_STARTS === "all";
const chosen = isWhole ? causes : causes.slice(0, 1);
const counts = isWhole ? [1, 2] : [2];
/** Far longer than any start or end; what is as late as that never ends. */
const patienceMilliseconds = 40_000;

async function surround(t: TestContext): Promise<Surroundings> {
  const folder = createTemporaryFolder(t);
  writeFileSync(secretFile(folder), makeSecret(7));
  writeFileSync(tokenFile(folder), validToken);
  const proxy = await startDatabaseProxy((await createTestDatabase(t, folder)).SEALPOST_DATABASE_URL ?? "");
  closeAtEnd(t, () => proxy.refuse());
  return { folder, port: await findFreePort(), proxy, database: await openTestDatabase(t, folder) };
}

/** `sealpost-server serve` in a group of its own, so that whatever it has started can be seen. */
function start(t: TestContext, { folder, port, proxy }: Surroundings, processes: number) {
  const child = spawn(process.execPath, [...serverProgram, "serve", "--processes", String(processes)], {
    env: {
      PATH: process.env.PATH,
      SEALPOST_DATA: folder,
      SEALPOST_DATABASE_URL: proxy.url,
      SEALPOST_SECRET_FILE: secretFile(folder),
      SEALPOST_METRICS_TOKEN_FILE: tokenFile(folder),
      SEALPOST_PORT: String(port),
      SEALPOST_LOG_LEVEL: "silent",
      NODE_OPTIONS: crashWhile(crashFile(folder)),
    },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  closeAtEnd(t, () => {
    for (const pid of [child.pid, ...listGroup(child.pid)]) endNow(pid);
  });
  let output = "";
  const written = new EventTarget();
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
      written.dispatchEvent(new Event("text"));
    });
  const ended = once(child, "exit");
  return {
    child,
    output: () => output,
    async saw(text: RegExp): Promise<void> {
      while (!text.test(output)) await beforeLate(Promise.race([once(written, "text"), ended.then(refuseEnd)]));
    },
    /** The exit code, once none of its processes is left. */
    async end(): Promise<number | string> {
      const [code, signal] = await beforeLate(ended);
      for (let left = listGroup(child.pid); left.length > 0; left = listGroup(child.pid))
        await beforeLate(new Promise((resolve) => setTimeout(resolve, 20)));
      return code ?? signal;
    },
  };

  async function beforeLate<Result>(event: Promise<Result>): Promise<Result> {
    const { promise: late, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error(`Nothing more happens: ${output}`)), patienceMilliseconds);
    return Promise.race([event, late]).finally(() => clearTimeout(timer));
  }
  function refuseEnd([code]: readonly unknown[]): void {
    throw new Error(`It ended with ${code}: ${output}`);
  }
}

function endNow(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}

function listGroup(group: number | undefined): readonly number[] {
  const list = execFileSync("ps", ["-e", "-o", "pid=,pgid=,stat="], { encoding: "utf8" });
  return list.split("\n").flatMap((line) => {
    const [pid, pgid, state = ""] = line.trim().split(/\s+/);
    return Number(pgid) === group && !state.startsWith("Z") ? [Number(pid)] : [];
  });
}

function killOne(service: ReturnType<typeof start>): void {
  const pid = listGroup(service.child.pid).find((each) => each !== service.child.pid);
  assert.ok(pid !== undefined);
  process.kill(pid, "SIGKILL");
}

async function assertServes(service: ReturnType<typeof start>, { port }: Surroundings): Promise<void> {
  await service.saw(/ready at/);
  for (let request = 0; request < 4; request++) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, { headers: { connection: "close" } });
    assert.equal(answer.status, 200, service.output());
  }
  service.child.kill("SIGTERM");
  assert.equal(await service.end(), 0, service.output());
}

for (const processes of counts)
  for (const cause of chosen) {
    const about = `${cause.name}, ${processes === 1 ? "one process" : "two processes"}`;

    test(`a first start that fails ends with a code, and a later one serves: ${about}`, onPostgresAlone, async (t) => {
      const surroundings = await surround(t);
      if (cause.isOfKnownInstance) await assertServes(start(t, surroundings, 1), surroundings);
      await cause.begin(surroundings);
      const connected = once(surroundings.proxy.connections, "connection");
      const failing = start(t, surroundings, processes);
      if (cause.isSilent) {
        await connected;
        failing.child.kill("SIGTERM");
      }
      const code = await failing.end();
      assert.ok(cause.isSilent ? code === 0 : code === 1 || code === 2, `${code}: ${failing.output()}`);
      if (!cause.isSilent) assert.notEqual(failing.output(), "", "it says why");
      await cause.end(surroundings);
      await assertServes(start(t, surroundings, processes), surroundings);
    });

    if (cause.isFirstStartAlone || !isWhole) continue;
    test(`SIGTERM ends a service that stops while there is a cause: ${about}`, onPostgresAlone, async (t) => {
      const surroundings = await surround(t);
      const service = start(t, surroundings, processes);
      await service.saw(/ready at/);
      await cause.begin(surroundings);
      service.child.kill("SIGTERM");
      const code = await service.end();
      assert.ok(code === 0 || code === 1, `${code}: ${service.output()}`);
      await cause.end(surroundings);
    });
  }

for (const cause of chosen.filter(({ isFirstStartAlone }) => !isFirstStartAlone)) {
  test(`a replacement that fails is tried again, and serves once it can: ${cause.name}`, onPostgresAlone, async (t) => {
    const surroundings = await surround(t);
    const service = await startAndFailReplacement(t, surroundings, cause);
    await cause.end(surroundings);
    await service.saw(/A process is ready in the place of one that had ended/);
    await assertServes(service, surroundings);
  });

  test(`SIGTERM ends a service whose replacement fails: ${cause.name}`, onPostgresAlone, async (t) => {
    const surroundings = await surround(t);
    const service = await startAndFailReplacement(t, surroundings, cause);
    service.child.kill("SIGTERM");
    const code = await service.end();
    assert.ok(code === 0 || code === 1, `${code}: ${service.output()}`);
    await cause.end(surroundings);
  });
}

async function startAndFailReplacement(t: TestContext, surroundings: Surroundings, cause: Cause) {
  const service = start(t, surroundings, 2);
  await service.saw(/ready at/);
  await cause.begin(surroundings);
  killOne(service);
  await service.saw(cause.isSilent ? /another one is started in 1 s/ : /another one is started in 2 s/);
  return service;
}

for (const processes of counts)
  test(`SIGTERM ends a start at once, whenever it comes: ${processes} processes`, onPostgresAlone, async (t) => {
    const surroundings = await surround(t);
    const moments = [
      (service: ReturnType<typeof start>) => once(service.child, "spawn"),
      () => once(surroundings.proxy.connections, "connection"),
      (service: ReturnType<typeof start>) => service.saw(/ready at/),
    ];
    for (const moment of isWhole ? moments : moments.slice(1, 2)) {
      const service = start(t, surroundings, processes);
      await moment(service);
      service.child.kill("SIGTERM");
      // Before the program was loaded the system itself ends it.
      assert.ok([0, "SIGTERM"].includes(await service.end()), service.output());
    }
  });

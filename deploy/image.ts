/**
 * `npm run check -- image`: builds the image of the Dockerfile with Docker or podman, runs it as closed as compose.yaml does,
 * and takes a sealed submission through a stop and a start. What it makes is removed at the end. `--base IMAGE` builds on another
 * image of Node.js, `--build-network host` with the machine's network.
 */
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { createClient, generateKeyPair, importOpeningKey, openSubmission } from "@sealpost/sdk";
import { createId, type FormId, seal } from "@sealpost/wire";
import { signUpForToken } from "../tests/support/sign-up.ts";
import { findEngine, readLimits, root, waitUntilHealthy } from "./check/engine.ts";
import { beginRequest } from "./check/open-request.ts";
import { findFreePort } from "./check/service.ts";

/** The part that is the service's own; the rest is the image of Node.js. */
const ownKilobytesMax = 30_000;

const { values } = parseArgs({ options: { base: { type: "string" }, "build-network": { type: "string" } } });
const engine = findEngine();
if (engine === undefined) {
  console.log("not checked  the image: neither Docker nor podman is here with an engine that answers");
  process.exit();
}
const name = `sealpost-check-${process.pid}`;
const say = (line: string) => console.log(`ok           ${line}`);
try {
  await engine.run(
    ...["build", "--tag", name, ...(engine.name === "podman" ? ["--format=docker"] : [])],
    ...(values.base === undefined ? [] : [`--build-arg=NODE_IMAGE=${values.base}`]),
    ...(values["build-network"] === undefined ? [] : [`--network=${values["build-network"]}`]),
    root,
  );
  const bytes = Number(await engine.run("image", "inspect", "--format", "{{.Size}}", name));
  say(`built with ${engine.name}: ${Math.round(bytes / 1e6)} MB`);

  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const { options, graceSeconds } = readLimits();
  await engine.run(
    ...["run", "--detach", "--name", name, `--volume=${name}:/data`, `--publish=127.0.0.1:${port}:${port}`],
    // The same port inside, so that the public address leads to the service from there as well.
    ...[`--env=SEALPOST_BASE_URL=${url}`, `--env=SEALPOST_PORT=${port}`, ...options, name],
  );
  await waitUntilHealthy(engine, name);
  say("healthy, by the image's own check");

  const inside = (...command: readonly string[]) => engine.run("exec", name, ...command);
  assert.equal(await inside("id", "-u"), "1000");
  for (const folder of ["/", "/sealpost", "/usr/local/bin"]) await assert.rejects(inside("touch", `${folder}/file`));
  await assert.rejects(inside("sh", "-c", "command -v npm npx"), "npm is in the image");
  const found = await inside(
    "find",
    "/sealpost",
    "-name",
    "*.ts",
    "-o",
    "-name",
    "node_modules",
    "-o",
    "-name",
    ".npm",
  );
  assert.equal(found, "");
  const own = Number.parseInt(await inside("du", "-sk", "/sealpost"), 10);
  assert.ok(own <= ownKilobytesMax, `the service takes ${own} KB`);
  say(`no root, no npm, nothing can be written; ${Math.round(own / 1000)} MB on the disk are the service's own`);

  const setupToken = /[?&]token=([\w-]+)/.exec(await engine.run("logs", name))?.[1];
  const client = createClient({ baseUrl: url, token: await signUpForToken({ url, setupToken }) });
  const { publicKey, privateKey } = await generateKeyPair();
  const { id } = await client.forms.create({ name: "Form", publicKey });
  const formId = id as FormId; // the service makes nothing else
  const sealNext = async (message: string) => {
    const submissionId = createId("submission");
    const payload = await seal({ message }, { formId, keyVersion: 1, submissionId }, publicKey);
    return { id: submissionId, keyVersion: 1, payload };
  };
  const path = `/api/forms/${formId}/submissions`;
  const first = await beginRequest(url, path, await sealNext("before the stop"));
  assert.equal(await first.end(), 201);
  assert.match(await inside("sealpost-server", "doctor"), /Problems: 0/);
  assert.match(await inside("sealpost-server", "backup", "--to", "/data"), /Backed up and compared/);
  say("sign-up, a form, a sealed submission, the doctor, a backup");

  const open = await beginRequest(url, path, await sealNext("during the stop"));
  const began = performance.now();
  const stopped = engine.run("stop", "--time", String(graceSeconds), name);
  while (
    await fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    )
  ); // until it is on its way out
  assert.equal(await open.end(), 201);
  await stopped;
  const seconds = (performance.now() - began) / 1000;
  assert.equal(await engine.run("inspect", "--format", "{{.State.ExitCode}}", name), "0");
  say(`stopped after ${seconds.toFixed(1)} s with 0, and an open submission was taken`);

  await engine.run("start", name);
  await waitUntilHealthy(engine, name);
  const key = await importOpeningKey(privateKey);
  const messages: unknown[] = [];
  for (const submission of (await client.submissions.list(formId)).submissions) {
    const opened = await openSubmission(formId, submission, [key]);
    messages.push(opened.opened ? opened.fields.message : opened.message);
  }
  assert.deepEqual(messages, ["during the stop", "before the stop"]);
  say("started again: both submissions are there, and open with the key");
} finally {
  for (const [kind, ...parameters] of [
    ["rm", "--force"],
    ["volume", "rm"],
    ["image", "rm"],
  ] as const)
    await engine.run(kind, ...parameters, name).catch(() => {});
}

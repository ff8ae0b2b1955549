import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { describeVersion } from "@sealpost/wire";
import { createTemporaryFolder } from "../../server/src/testing/temporary-folder.ts";
import { createForm, pair } from "./testing/listening.ts";

test("the program runs as a process: its version, and an error with its exit code on standard error", async (t) => {
  const cwd = createTemporaryFolder(t);
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../package.json"), "utf8"));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const expected = [
    [["--version"], 0, `${describeVersion(version)}\n`, /^$/],
    [["forms", "list"], 3, "", /^sealpost: You are not signed in\. [^\n]+\n$/],
  ] as const;
  for (const [parameters, code, output, errors] of expected) {
    const main = join(import.meta.dirname, "main.ts");
    const child = spawn(process.execPath, ["--conditions=@sealpost/source", main, ...parameters], {
      cwd,
      env: { PATH, NODE_COMPILE_CACHE, XDG_CONFIG_HOME: cwd },
    });
    const closed = new Promise((resolve) => child.on("close", resolve));
    const seen = await Promise.all([text(child.stdout), text(child.stderr), closed]);
    assert.deepEqual([seen[0], seen[2]], [output, code]);
    assert.match(seen[1], errors);
  }
});

test("whatever ends an export, it cleans up after itself, and its exit code says which", {
  skip: process.platform === "win32",
}, async (t) => {
  const { service, account, formId, submit } = await createForm(t);
  for (let n = 0; n < 20; n++) await submit({ n });
  const reached = new EventEmitter();
  let sendRest = () => {};
  // A slow network: part of an export, and nothing more.
  const proxy = createServer(async (request, response) => {
    const { authorization = "" } = request.headers;
    const answer = await fetch(service.url + request.url, { headers: { authorization } });
    const body = await answer.text();
    if (!request.url?.includes("/export")) return void response.writeHead(answer.status).end(body);
    const middle = Math.floor(body.length * 0.6);
    sendRest = () => void response.end(body.slice(middle));
    response.write(body.slice(0, middle), () => reached.emit("reached"));
  }).listen(0, "127.0.0.1");
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await once(proxy, "listening");
  const folder = createTemporaryFolder(t);
  await writeFile(join(folder, "key.json"), JSON.stringify(pair.privateKey));
  const start = (...parameters: string[]) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const { port } = proxy.address() as AddressInfo; // listening on TCP
    const credential = { SEALPOST_URL: `http://127.0.0.1:${port}`, SEALPOST_TOKEN: account.token };
    const child = spawn(
      process.execPath,
      [
        "--conditions=@sealpost/source",
        join(import.meta.dirname, "main.ts"),
        "submissions",
        "export",
        formId,
        ...parameters,
      ],
      { cwd: folder, env: { PATH, NODE_COMPILE_CACHE, XDG_CONFIG_HOME: folder, ...credential } },
    );
    const ended = Promise.all([text(child.stderr).catch(() => ""), once(child, "close")]);
    return { child, ended };
  };
  for (const [signal, expected] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const) {
    const { child, ended } = start("--key", "key.json", "--output", "contact.csv");
    await once(reached, "reached");
    child.kill(signal);
    const [errors, [code]] = await ended;
    assert.equal(code, expected, errors);
    assert.deepEqual(await readdir(folder), ["key.json"], "no part of a file that could not be continued");
  }
  const { child, ended } = start("--format", "sealed");
  await once(child.stdout, "data");
  child.kill("SIGTERM");
  const [said, [code]] = await ended;
  assert.equal(code, 143);
  assert.match(said, /^Interrupted after sub_\w+: --after continues there$/m);
  // `| head -1`, and `2>&1 | head -1`: what comes after the reader has left is nobody's loss.
  for (const streams of [["stdout"], ["stdout", "stderr"]] as const) {
    const piped = start("--format", "sealed");
    await once(piped.child.stdout, "data");
    for (const name of streams) piped.child[name].destroy();
    sendRest();
    const [errors, [ending]] = await piped.ended;
    assert.deepEqual([errors, ending], ["", 0]);
  }
});

test("an output that can't be written ends the program with a sentence", {
  skip: process.platform !== "linux",
}, async () => {
  const main = join(import.meta.dirname, "main.ts");
  const full = openSync("/dev/full", "w");
  const child = spawn(process.execPath, ["--conditions=@sealpost/source", main, "--help"], {
    stdio: ["ignore", full, "pipe"],
  });
  const closed = new Promise((resolve) => child.on("close", resolve));
  const [errors, code] = [await text(child.stderr ?? assert.fail("it is a pipe")), await closed];
  closeSync(full);
  assert.match(errors, /^sealpost: The output can't be written: ENOSPC[^\n]*\n$/);
  assert.equal(code, 1);
});

test("a Node.js that is too old for the program is named, and nothing is loaded", async () => {
  const start = join(import.meta.dirname, "sealpost.ts");
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' });";
  const child = spawn(process.execPath, ["--import", `data:text/javascript,${encodeURIComponent(old)}`, start]);
  const closed = new Promise((resolve) => child.on("close", resolve));
  assert.match(await text(child.stderr), /^sealpost needs Node\.js 22 or newer, and this is Node\.js 20\.20\.2/);
  assert.equal(await closed, 2);
});

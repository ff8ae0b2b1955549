import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { createClient, openSubmission, parseOpeningKey } from "@sealpost/sdk";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { createDevDocumentation } from "../../scripts/dev/documentation.ts";
import { listen } from "../../scripts/dev/front.ts";
import type { DevState } from "../../scripts/dev/state.ts";
import { shareBrowser } from "../support/shared-browser.ts";

const root = join(import.meta.dirname, "..", "..");

interface Program {
  readonly child: ChildProcess;
  /** Resolves with the first line from now on that the pattern finds. */
  line(pattern: RegExp): Promise<string>;
  readonly ended: Promise<number | null>;
  /** When everything that it started has ended too: nobody is left to write what it says. */
  readonly closed: Promise<unknown>;
  output(): string;
}

function run(command: string, parameters: readonly string[]): Program {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEALPOST_")));
  const child = spawn(command, parameters, { cwd: root, env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const look of waiting) look(line);
    });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  return {
    child,
    ended,
    closed: once(child, "close"),
    output: () => lines.join("\n"),
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (line: string) => {
          if (!pattern.test(line)) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        void ended.then(() => reject(new Error(`It ended before ${pattern}:\n${lines.join("\n")}`)));
      }),
  };
}

/** The first of four ports in a row that are free. */
async function findPorts(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port += 4) {
    const free = await Promise.all([0, 1, 2, 3].map((offset) => isFree(port + offset)));
    if (free.every(Boolean)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createTcpServer();
    server.on("error", () => resolve(false)).listen(port, "localhost", () => server.close(() => resolve(true)));
  });
}

/** An editor's save without a change of the content. */
function touch(path: string): void {
  assert.ok(statSync(join(root, path)).isFile());
  utimesSync(join(root, path), new Date(), new Date());
}

test("npm run dev makes an account whose key files open its submissions, and puts changes into open pages", async (t) => {
  const folder = join(createTemporaryFolder(t), "dev");
  const port = await findPorts();
  const options = ["--folder", folder, "--port", String(port), "--submissions", "20"];
  const dev = run(process.execPath, ["--conditions=@sealpost/source", "scripts/dev/dev.ts", ...options]);
  t.after(() => dev.child.kill("SIGKILL"));
  await dev.line(/^Ctrl\+C ends it/);
  const { url, email, password, apiKey, forms } = JSON.parse(
    readFileSync(join(folder, "dev.json"), "utf8"),
  ) as DevState;
  for (const shown of [`${url}  with hot reload`, `${email}  ${password}`, apiKey, "sealpost-contact-v1.key.json"])
    assert.ok(dev.output().includes(shown), shown);

  // The forms are in every state that a page shows, and the key files open what is in them.
  const client = createClient({ baseUrl: url, token: apiKey });
  const [contact, council, newsletter, fails] = forms;
  const stored = await client.submissions.list(contact?.id ?? "");
  assert.equal(stored.total, 6);
  assert.equal((await client.submissions.listBin(contact?.id ?? "")).total, 4);
  const keyFile = JSON.parse(readFileSync(join(folder, contact?.keyFile ?? ""), "utf8"));
  const keys = [await parseOpeningKey(keyFile, "the key file")];
  for (const submission of stored.submissions)
    assert.equal((await openSubmission(contact?.id ?? "", submission, keys)).opened, true);
  assert.equal((await client.submissions.list(newsletter?.id ?? "")).submissions[0]?.payload.encrypted, false);

  const browser = await shareBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`${url}/sign-in`);
  await page.getByLabel("Email address").fill(email);
  // A component that changes is put into the page, which keeps what was typed.
  await page.evaluate(() => Object.assign(window, { isSamePage: true }));
  const hot = page.waitForEvent("console", (message) => /\[vite\] (\(client\) )?hot updated/.test(message.text()));
  touch("packages/dashboard/src/sign-in/sign-in-page.tsx");
  await hot;
  assert.equal(await page.evaluate(() => "isSamePage" in window), true);
  assert.equal(await page.getByLabel("Email address").inputValue(), email);

  // A request that comes while the service restarts waits for it.
  const changed = "packages/server/src/instance/version.ts";
  const restarted = dev.line(new RegExp(`${changed}: service restarted`));
  touch(changed);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("link", { name: "Ask the works council" }).waitFor();
  await restarted;

  // A document that changes is rebuilt without a restart.
  touch("docs/glossary.md");
  await dev.line(/^docs\/glossary\.md: documentation rebuilt/);
  assert.equal((await fetch(`${url}/docs/glossary`)).status, 200);
  assert.doesNotMatch(dev.output(), /docs\/glossary\.md: service restarted/);

  const site = await browser.newPage();
  await site.goto(`http://localhost:${port + 1}/${council?.id}`);
  await site.fill("#message", "Half a question");
  const reloaded = site.waitForEvent("load");
  touch("packages/embed/src/browser.ts");
  await reloaded;
  assert.equal(await site.inputValue("#message"), "Half a question");
  await site.fill("#email", "ada@example.com");
  const delivered = dev.line(/✓ webhook submission\.created, .*signature verified/);
  await site.getByRole("button", { name: "Send sealed" }).click();
  await delivered;
  const { logs } = await client.webhooks.logs(fails?.id ?? "");
  assert.equal(logs[0]?.statusCode, 500);

  dev.child.kill("SIGTERM");
  assert.equal(await dev.ended, 0, dev.output());
  // As people start it; npm has processes of its own between itself and the program.
  const again = run("npm", ["run", "dev", "--", "--folder", folder, "--port", String(port)]);
  t.after(() => again.child.kill("SIGTERM"));
  await again.line(/^Ctrl\+C ends it/);
  assert.equal((await client.submissions.list(contact?.id ?? "")).total, 6, "the data stays");
  again.child.kill("SIGTERM");
  await again.closed;
  for (const offset of [0, 1, 2, 3]) assert.ok(await isFree(port + offset), `port ${port + offset}: ${again.output()}`);
});

test("the documents of npm run dev are those that were built last", async (t) => {
  const file = join(createTemporaryFolder(t), "documentation.json");
  const write = (text: string) =>
    writeFileSync(file, JSON.stringify({ "/docs/glossary": { contentType: "text/html; charset=utf-8", text } }));
  write("before");
  const documentation = await createDevDocumentation(file);
  const server = createServer(documentation.handle);
  await listen(server, 0);
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const read = async () => (await fetch(`http://localhost:${port}/docs/glossary`)).text();
  assert.equal(await read(), "before");
  write("after");
  documentation.reload();
  assert.equal(await read(), "after");
});

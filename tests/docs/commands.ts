import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestScope } from "../../packages/server/src/testing/temporary-folder.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { type Block, root } from "./blocks.ts";

const example = "http://localhost:8080";

/**
 * Runs the commands of a page as a reader would: in order, in one shell, in a folder that is like the repository's.
 * `cacheFolder` keeps what Node compiled, which halves the time of each command after the first.
 */
export async function runCommands(t: TestScope, blocks: readonly Block[], cacheFolder: string): Promise<void> {
  const folder = createTemporaryFolder(t);
  for (const name of ["package.json", "packages", "node_modules"]) symlinkSync(join(root, name), join(folder, name));
  mkdirSync(join(folder, "home"));
  const startsItself = blocks.some(({ mark }) => mark.kind === "start");
  const { url, token } = startsItself
    ? { url: `http://localhost:${await findFreePort()}`, token: undefined }
    : await startService(t);
  const signsIn = blocks.some(({ mark, text: content }) => mark.kind === "run" && content.includes("login http"));
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("SEALPOST_")));
  const place = (content: string) => content.replaceAll(example, url);
  for (const { mark, text: content } of blocks)
    if (mark.kind === "file") writeFileSync(join(folder, mark.file), `${place(content)}\n`);
  const child = spawn("bash", ["-c", createScript(blocks, place)], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...inherited,
      HOME: join(folder, "home"),
      XDG_CONFIG_HOME: join(folder, "home"),
      NODE_COMPILE_CACHE: cacheFolder,
      SEALPOST_LOG_LEVEL: "error",
      ...(startsItself ? { SEALPOST_PORT: new URL(url).port } : { SEALPOST_URL: url }),
      // A page that does not say how to sign in is read by somebody who is.
      ...(token !== undefined && !signsIn && { SEALPOST_TOKEN: token }),
    },
  });
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  const complaints = readFileSync(join(folder, "complaints"), "utf8");
  const printed = new Map(output.split(/^@@/m).map((part) => [Number.parseInt(part, 10), part.replace(/^.*\n/, "")]));
  const last = blocks[Math.max(...[...printed.keys()].filter(Number.isInteger))];
  assert.equal(child.exitCode, 0, `${last?.source}:${last?.line} failed:\n${output}\n${complaints}`);
  blocks.forEach((block, position) => {
    if (block.mark.kind !== "output") return;
    const before = blocks.slice(0, position).findLastIndex(({ mark }) => mark.kind === "run" || mark.kind === "start");
    assertPrinted(block, place(block.text), printed.get(before) ?? "");
  });
}

/** A script that says before each block which one it is, and stops at the first that fails. */
function createScript(blocks: readonly Block[], place: (content: string) => string): string {
  const parts = blocks.map(({ mark, text: content }, position) => {
    // The output before may not have ended its line.
    const begin = `echo; echo '@@${position}'`;
    if (mark.kind === "start") return `${begin}\n${startInBackground(place(content))}`;
    if (mark.kind === "run") return `${begin}\n${place(content).replaceAll("form_…", '"$(formOfKeyFile)"')}`;
    if (mark.kind === "visit")
      return `${begin}\nnode --conditions=@sealpost/source ${join(import.meta.dirname, "visit.ts")} ${mark.file} complaints`;
    return "";
  });
  return `set -eu -o pipefail
exec 2> complaints
sealpost() { node --conditions=@sealpost/source packages/cli/src/main.ts "$@"; }
sealpost-server() { node --conditions=@sealpost/source packages/server/src/main.ts "$@"; }
formOfKeyFile() { node -p 'JSON.parse(fs.readFileSync(fs.globSync("*-v1.key.json")[0])).formId'; }
${parts.join("\n")}
`;
}

/** `npm start` without its build, which every test run begins with; continues as soon as the service has printed everything. */
function startInBackground(command: string): string {
  assert.equal(command, "npm start");
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: { start: string } };
  const [, serve] = scripts.start.split("node scripts/run-built.ts ");
  assert.ok(serve !== undefined, scripts.start);
  return `exec 9< <(exec node --conditions=@sealpost/source ${serve})
SERVICE=$!
trap 'kill $SERVICE' EXIT
while read -r line <&9; do echo "$line"; case $line in *'first one at'*) break;; esac; done`;
}

/** The output that a page promises: each line unchanged, `…` for anything. */
function assertPrinted({ source, line }: Block, expected: string, printed: string): void {
  const pattern = expected
    .trim()
    .split("…")
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("[\\s\\S]*?");
  assert.match(
    printed.replaceAll("\r", "").trim(),
    new RegExp(`^${pattern}$`),
    `${source}:${line} promises another output`,
  );
}

/** A service with the account that the pages speak of, and a session of it. */
async function startService(t: TestScope): Promise<{ readonly url: string; readonly token: string }> {
  const service = await createTestService(t);
  const body = {
    name: "You",
    email: "you@example.com",
    password: "a good long password",
    setupToken: service.setupToken,
  };
  const created = await service.request("POST", "/api/auth/sign-up/email", { body });
  assert.equal(created.status, 200);
  const cookie = created.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const issued = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
  return { url: service.url, token: issued.body.token };
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "localhost");
  await once(server, "listening");
  const address = server.address();
  server.close();
  assert.ok(typeof address === "object" && address !== null);
  return address.port;
}

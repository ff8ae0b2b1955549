import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { createClient, generateKeyPair, openSubmission, parseOpeningKey } from "@sealpost/sdk";
import { launchBrowser } from "../support/chromium.ts";
import { signUpForToken } from "../support/sign-up.ts";
import { createInstalled, findNode, nodes } from "./folders.ts";

/** Somebody's project: strict in everything that TypeScript knows, and libraries are checked as well. */
const strictest = {
  compilerOptions: {
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable"],
    module: "esnext",
    moduleResolution: "bundler",
    jsx: "react-jsx",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    verbatimModuleSyntax: true,
    isolatedModules: true,
    skipLibCheck: false,
    noEmit: true,
    types: [],
  },
  include: ["src"],
};

const app = `
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { type SealpostOptions, useSealpost } from "@sealpost/embed/react";

const parameters = new URLSearchParams(location.search);
const options: SealpostOptions = {
  endpoint: parameters.get("endpoint") ?? "",
  keyFingerprint: parameters.get("key") ?? "",
  messages: { sent: "Thank you" },
};

function Contact() {
  const { state, ref } = useSealpost(parameters.get("form") ?? "", options);
  if (state.status === "sent") return <p role="status">{state.message} {state.submissionId}</p>;
  const problem: string | undefined = state.fieldErrors["email"];
  return (
    <form ref={ref} method="dialog">
      <label>Email <input name="email" type="email" required /></label>
      {problem}
      <button disabled={state.status === "sending"}>Send</button>
      {state.status === "failed" && <p role="alert">{state.code}</p>}
    </form>
  );
}

const root = document.querySelector("#root");
if (root !== null) createRoot(root).render(<StrictMode><Contact /></StrictMode>);
`;

test("a Vite app in strict TypeScript sends a form by the React hook to npx @sealpost/server, and its owner opens it", async (t) => {
  const server = createInstalled(t, ["server"]);
  const child = spawn("npx", ["--offline", "@sealpost/server"], {
    cwd: server.path,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SEALPOST_PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  t.after(async () => {
    const gone = once(child, "exit");
    process.kill(-(child.pid ?? Number.NaN), "SIGTERM");
    await gone;
  });
  const [url = "", setupToken] = await readReady(child.stdout);
  const client = createClient({ baseUrl: url, token: await signUpForToken({ url, setupToken }) });
  const { publicKey, privateKey } = await generateKeyPair();
  const form = await client.forms.create({ name: "Contact", publicKey });
  const [key] = await client.forms.keys(form.id);
  for (const path of ["/", "/docs", "/api/docs", "/embed/sealpost.js"])
    assert.equal((await fetch(url + path)).status, 200, path);

  const folder = createInstalled(
    t,
    ["embed"],
    [
      "vite@8.3.8",
      "react@19.3.1",
      "react-dom@19.3.1",
      "@types/react@19.3.0",
      "@types/react-dom@19.3.0",
      "typescript@7.0.2",
    ],
  );
  folder.write("tsconfig.json", JSON.stringify(strictest));
  folder.write("src/main.tsx", app);
  folder.write("index.html", '<!doctype html><div id="root"></div><script type="module" src="/src/main.tsx"></script>');
  folder.run(["npx", "tsc"]);
  folder.run(["npx", "vite", "build", "--logLevel", "error"]);

  const site = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://localhost").pathname;
    const file = join(folder.path, "dist", path === "/" ? "index.html" : path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    response.setHeader("content-type", file.endsWith(".js") ? "text/javascript" : "text/html");
    response.end(readFileSync(file));
  }).listen(0, "127.0.0.1");
  await once(site, "listening");
  t.after(() => site.close());
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const page = await browser.newPage();
  const query = new URLSearchParams({ endpoint: url, form: form.id, key: key?.fingerprint ?? "" });
  await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/?${query}`); // a TCP server's address
  await page.getByLabel("Email").fill("zoe@example.com");
  await page.getByRole("button", { name: "Send" }).click();
  const said = await page.getByRole("status").textContent();

  const { submissions } = await client.submissions.list(form.id);
  const [submission] = submissions;
  assert.ok(submission !== undefined && submissions.length === 1);
  assert.equal(said, `Thank you ${submission.id}`);
  const opened = await openSubmission(form.id, submission, [await parseOpeningKey(privateKey, "mine")]);
  assert.deepEqual(opened.opened && { ...opened.fields }, { email: "zoe@example.com" });
});

async function readReady(output: NodeJS.ReadableStream): Promise<readonly (string | undefined)[]> {
  let url: string | undefined;
  for await (const line of createInterface({ input: output })) {
    url ??= /ready at (\S+)/.exec(line)?.[1];
    const token = /\/setup\?token=(\S+)/.exec(line)?.[1];
    if (url !== undefined && token !== undefined) return [url, token];
  }
  throw new Error("The service ended before it was ready");
}

const program = `
import { createReceiver, generateKeyPair } from "@sealpost/sdk";
const { privateKey } = await generateKeyPair();
const receiver = await createReceiver({ secrets: "whsec_" + btoa("x".repeat(32)), privateKeys: [privateKey] });
console.log((await receiver.receive({ headers: {}, body: new Uint8Array() })).reason);
`;

test("esbuild and webpack bundle a receiver that needs nothing else, for every Node.js that it is for", (t) => {
  const folder = createInstalled(t, ["sdk", "wire"], ["esbuild@0.28.2", "webpack@5.112.2"]);
  folder.write("src/main.js", program);
  folder.run(["npx", "esbuild", "src/main.js", "--bundle", "--platform=node", "--format=esm", "--outfile=esbuild.mjs"]);
  folder.write(
    "webpack.js",
    `import webpack from "webpack";
    webpack({
      mode: "production", target: "node22", entry: "./src/main.js", experiments: { outputModule: true },
      output: { path: import.meta.dirname, filename: "webpack.mjs", module: true, chunkFormat: "module" },
    }, (error, stats) => {
      if (error || stats.hasErrors() || stats.hasWarnings()) throw error ?? new Error(stats.toString());
    });`,
  );
  folder.run(["node", "webpack.js"]);
  for (const file of ["esbuild.mjs", "webpack.mjs"]) {
    assert.doesNotMatch(readFileSync(join(folder.path, file), "utf8"), /from ?"@sealpost/);
    for (const major of nodes)
      assert.equal(folder.run([findNode(major), file]), "missing_header\n", `${file}, ${major}`);
  }
});

test("a page's bundle by esbuild or webpack has what seals, and nothing that opens", (t) => {
  const folder = createInstalled(t, ["embed"], ["esbuild@0.28.2", "webpack@5.112.2"]);
  folder.write(
    "src/main.js",
    'import { init } from "@sealpost/embed";\ninit("form_", { endpoint: "https://forms.example" });',
  );
  folder.run(["npx", "esbuild", "src/main.js", "--bundle", "--minify", "--format=esm", "--outfile=out/esbuild.js"]);
  folder.write(
    "webpack.js",
    `import webpack from "webpack";
    webpack({ mode: "production", entry: "./src/main.js", output: { path: import.meta.dirname + "/out", filename: "webpack.js" } },
      (error, stats) => { if (error || stats.hasErrors() || stats.hasWarnings()) throw error ?? new Error(stats.toString()); });`,
  );
  folder.run(["node", "webpack.js"]);
  const files = globSync("out/*.js", { cwd: folder.path });
  assert.equal(files.length, 2);
  for (const file of files) {
    const text = readFileSync(join(folder.path, file), "utf8");
    assert.match(text, /RSA-OAEP/, file);
    assert.doesNotMatch(text, /"decrypt"|could_not_be_opened/, file);
  }
});

test("types are found and right for every way to resolve them: node16, bundler, with libraries checked", (t) => {
  const folder = createInstalled(
    t,
    ["wire", "envelope", "pii", "embed", "sdk"],
    ["typescript@5.9.3", "@types/react@19.3.0", "react@19.3.1"],
  );
  folder.write(
    "src/main.ts",
    `import { init, type Handle } from "@sealpost/embed";
import { useSealpost, type Sealpost } from "@sealpost/embed/react";
import { openEnvelope } from "@sealpost/envelope";
import { stripPii } from "@sealpost/pii";
import { createReceiver, type Client, createClient, type Receiver, type WebhookEvent } from "@sealpost/sdk";
import { formatCsvRow } from "@sealpost/sdk/csv";
import { seal } from "@sealpost/wire";
import { open } from "@sealpost/wire/open";
export const handle: Handle = init("form_", { endpoint: "" });
export const client: Client = createClient({ baseUrl: "", token: "" });
export const receiver: Promise<Receiver> = createReceiver({ secrets: "", privateKeys: [] });
export type All = [WebhookEvent, Sealpost];
export const more = [openEnvelope, stripPii, useSealpost, formatCsvRow, seal, open];
// @ts-expect-error the types are there: a number is no id
init(1);
`,
  );
  for (const module of ["node16", "nodenext", "esnext"]) {
    const moduleResolution = module === "esnext" ? "bundler" : module;
    const compilerOptions = { ...strictest.compilerOptions, module, moduleResolution };
    folder.write("tsconfig.json", JSON.stringify({ ...strictest, compilerOptions }));
    folder.run(["npx", "tsc"]);
  }
});

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { buildModule } from "../../packages/embed/build.ts";
import { untilState } from "../../packages/embed/testing/browser.ts";
import { startSiteAndService } from "../../packages/embed/testing/site.ts";
import { createdSealed, now, secret, sign } from "../../packages/sdk/src/testing/delivery.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { findGuides, readBlocks, root } from "./blocks.ts";

// Every command of a guide that makes code: what it makes is run, not only looked at.

const { service, site } = await startSiteAndService();
const command = /^npx esbuild (.+) --outfile=(\S+)$/m;

test("every guide whose command makes code has a test here that runs it", () => {
  const guides = findGuides().filter((guide) => readBlocks(guide).some(({ text }) => /\besbuild\b/.test(text)));
  assert.deepEqual(guides.sort(), ["docs/embed.md", "docs/receivers.md"]);
});

test("the guide's command makes one file of the receiver's library, which verifies and opens with nothing else", async (t) => {
  const file = bundle(t, "docs/receivers.md");
  assert.doesNotMatch(readFileSync(file, "utf8"), /^import /m);
  const library: typeof import("@sealpost/sdk") = await import(pathToFileURL(file).href);
  assert.ok("createClient" in library);
  const pair = takeKeyPair();
  const receiver = await library.createReceiver({ secrets: secret, privateKeys: [pair.privateKey], now: () => now });
  const received = await receiver.receive(await sign(await createdSealed({ name: "Zoë" }, pair)));
  assert.ok(received.verified && received.event.event === "submission.created" && received.event.opened.opened);
  assert.deepEqual({ ...received.event.opened.fields }, { name: "Zoë" });
});

test("the guide's command makes one file of the React component, which needs React alone and sends with all that it may load", async (t) => {
  await buildModule();
  const file = bundle(t, "docs/embed.md");
  const source = readFileSync(file, "utf8");
  const needed = [...source.matchAll(/^import .* from "([^"]+)"/gm)].map(([, name]) => name?.split("/")[0]);
  assert.deepEqual([...new Set(needed)], ["react"]);

  // Both second scripts: personal data is removed, and the page hides the browser's own hybrid algorithm.
  service.reset({ hybrid: true, piiStrip: true });
  const keyFingerprint = [service.fingerprint, service.hybridFingerprint];
  const options = JSON.stringify({ endpoint: service.url, keyFingerprint });
  const script = await bundlePage(`
    import { createElement } from "react";
    import { createRoot } from "react-dom/client";
    import { SealpostForm } from ${JSON.stringify(file)};
    Object.defineProperty(SubtleCrypto, "supports", { value: undefined });
    const form = createElement(SealpostForm, { formId: "${service.formId}", options: ${options} },
      createElement("input", { name: "text", defaultValue: "Write to zoe@example.org" }), createElement("button", {}, "Send"));
    createRoot(document.querySelector("#root")).render(form);`);
  const failed = Promise.withResolvers<never>();
  const page = await site.open('<div id="root"></div><script src="/bundle.js"></script>', {}, (opened) => {
    opened.on("pageerror", failed.reject);
    return opened.route("**/bundle.js", (route) => route.fulfill({ contentType: "text/javascript", body: script }));
  });
  const sent = page.click("button").then(() => untilState(page, "sent"));
  await Promise.race([sent, failed.promise]);
  assert.deepEqual(await service.opened(), [{ text: "Write to [EMAIL]" }]);
});

/** A page's script as its site would bundle it. */
async function bundlePage(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, "packages", "embed") },
    alias: { react: join(root, "node_modules", "react") },
    bundle: true,
    define: { "process.env.NODE_ENV": '"production"' },
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

/** Runs the one line of the guide that begins with `npx esbuild`, but for where its file goes. */
function bundle(t: TestContext, guide: string): string {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-bundle-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const line = command.exec(readFileSync(join(root, guide), "utf8"));
  assert.ok(line !== null, `${guide} has no such line`);
  const [, options = "", name = ""] = line;
  const file = join(folder, name.replace(/\.js$/, ".mjs"));
  const program = join(root, "node_modules", ".bin", "esbuild");
  const ended = spawnSync(program, [...options.split(" "), `--outfile=${file}`], { cwd: root, encoding: "utf8" });
  assert.equal(ended.status, 0, ended.stderr);
  return file;
}

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Client, openSubmission, parseOpeningKey } from "@sealpost/sdk";
import { fingerprint } from "@sealpost/wire";
import { build } from "esbuild";
import type { Browser } from "playwright-core";
import { takeKeyPair } from "../support/key-pairs.ts";
import { type Block, root } from "./blocks.ts";
import { fillIn, sendForm } from "./fill-in.ts";

const example = "https://forms.example.com";

interface Form {
  readonly id: string;
  readonly isSealed: boolean;
}

/** Shows the pages of a guide in a browser, as pages of another site, and sends every form that is in them. */
export async function visitPages(
  blocks: readonly Block[],
  client: Client,
  browser: Pick<Browser, "newPage">,
  url: string,
): Promise<void> {
  const { publicKey, privateKey } = takeKeyPair();
  const keys = [await parseOpeningKey(privateKey, "the test's")];
  let policy: string | undefined;
  let count = 0;
  let embed: string | undefined;

  async function createForms(text: string): Promise<ReadonlyMap<string, Form>> {
    const forms = new Map<string, Form>();
    for (const [placeholder] of text.matchAll(/form_[a-z]*…/g)) {
      if (forms.has(placeholder)) continue;
      const isSealed = !text.includes(`/f/${placeholder}`);
      const name = `${placeholder} ${++count} of ${blocks[0]?.source}`;
      const { id } = await client.forms.create({ name, publicKey, settings: { encryption: isSealed } });
      embed ??= (await client.forms.get(id)).embedCode;
      forms.set(placeholder, { id, isSealed });
    }
    return forms;
  }

  async function visit(block: Block): Promise<void> {
    const where = `${block.source}:${block.line}`;
    const forms = await createForms(block.text);
    let text = block.text.replaceAll("the fingerprint…", await fingerprint(publicKey)).replaceAll(example, url);
    const { style, styleIntegrity } = await findStyle(url);
    text = text.replaceAll(/\/embed\/sealpost-….css" integrity="sha384-…/g, `${style}" integrity="${styleIntegrity}`);
    const [, script = "", integrity = ""] = /src="([^"]+)" integrity="([^"]+)"/.exec(embed ?? "") ?? [];
    text = text.replaceAll(`${url}/embed/sealpost-….js`, script).replaceAll("sha384-…", integrity);
    for (const [placeholder, { id }] of forms) text = text.replaceAll(placeholder, id);
    const bundle = block.language === "tsx" ? await bundleComponent(text) : undefined;
    const html = bundle === undefined ? text : '<div id="root"></div><script src="/bundle.js"></script>';
    const isUnderPolicy = block.mark.kind === "page" && block.mark.underPolicy;
    assert.ok(!isUnderPolicy || policy !== undefined, `${where}: there is no policy before it`);
    const site = createServer((request, response) => {
      const isScript = request.url === "/bundle.js";
      response.writeHead(200, {
        "content-type": isScript ? "text/javascript" : "text/html; charset=utf-8",
        ...(isUnderPolicy && { "content-security-policy": policy }),
      });
      response.end(
        isScript ? bundle : `<!doctype html><html lang="en"><title>A page</title><body>${html}</body></html>`,
      );
    });
    await new Promise<void>((resolve) => site.listen(0, "localhost", resolve));
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    try {
      await page.goto(`http://localhost:${(site.address() as AddressInfo).port}/`); // it listens on TCP
      await page.locator("form").first().waitFor();
      const elements = await page.locator("form").all();
      const targets = [...forms.values()];
      assert.equal(elements.length, targets.length, `${where}: every form of the page is another form`);
      for (const [position, form] of targets.entries()) {
        const element = page.locator("form").nth(position);
        // Bound, that is: before it, a click would send nothing, or something else.
        if (form.isSealed) await element.and(page.locator("[data-sealpost-state=idle]")).waitFor();
        const fields = await fillIn(element);
        const answer = await sendForm(page, element);
        assert.equal(answer.status(), form.isSealed ? 201 : 303, where);
        if (text.includes('name="_next"')) await page.waitForURL("**/thanks");
        else if (!form.isSealed) await page.getByRole("heading", { name: "Thank you" }).waitFor();
        else await element.and(page.locator("[data-sealpost-state=sent]")).waitFor();
        const { submissions } = await client.submissions.list(form.id);
        assert.equal(submissions.length, 1, where);
        const [submission] = submissions;
        assert.ok(submission !== undefined);
        const opened = await openSubmission(form.id, submission, form.isSealed ? keys : []);
        assert.ok(opened.opened, where);
        assert.equal(opened.sealed, form.isSealed, where);
        assert.deepEqual({ ...opened.fields }, fields, where);
      }
      assert.deepEqual(complaints, [], where);
    } finally {
      await page.close();
      site.closeAllConnections();
      site.close();
    }
  }

  for (const block of blocks) {
    if (block.mark.kind === "policy")
      policy = block.text.replace("Content-Security-Policy: ", "").replaceAll(example, url);
    if (block.mark.kind === "page") await visit(block);
  }
}

/** The stylesheet's lasting name, and its integrity. */
async function findStyle(url: string) {
  const answer = await fetch(`${url}/embed/sealpost.css`);
  const hash = createHash("sha384").update(await answer.text());
  return {
    style: answer.headers.get("content-location") ?? assert.fail("the stylesheet does not tell its name"),
    styleIntegrity: `sha384-${hash.digest("base64")}`,
  };
}

/** A component as its site would bundle it, shown in the element `root`. */
async function bundleComponent(text: string): Promise<string> {
  const component = /export function (\w+)/.exec(text)?.[1];
  const { outputFiles } = await build({
    stdin: {
      contents: `${text}
import { createRoot } from "react-dom/client";
createRoot(document.querySelector("#root")).render(<${component} />);`,
      loader: "tsx",
      resolveDir: join(root, "packages", "embed"),
    },
    bundle: true,
    conditions: ["@sealpost/source"],
    define: {
      SEALPOST_HYBRID_SCRIPT: "undefined",
      SEALPOST_KEY_LOG: "false",
      SEALPOST_PRIVACY_SCRIPT: "undefined",
      "process.env.NODE_ENV": '"production"',
    },
    format: "iife",
    jsx: "automatic",
    logLevel: "error",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { build } from "esbuild";
import { shareBrowser } from "./shared-browser.ts";

export interface BrowserResult {
  readonly title: string;
  /** The error of the test, with its stack; absent when it passed. */
  readonly failure?: string;
}

/**
 * Runs test files in Chromium unchanged, on a page from http://localhost, which browsers treat as a secure context.
 * Their `node:test` and `node:assert/strict` become two small files of our own, so such a test may use only `test(title, fn)`
 * and the assertions written there; anything else of Node fails the bundle.
 */
export async function runTestsInBrowser(files: readonly string[]): Promise<readonly BrowserResult[]> {
  const script = await bundle(files);
  const server = createServer((request, response) => {
    const isScript = request.url === "/tests.js";
    response.setHeader("content-type", isScript ? "text/javascript; charset=utf-8" : "text/html; charset=utf-8");
    response.end(isScript ? script : '<!doctype html><title>Tests</title><script src="/tests.js"></script>');
  });
  const port = await listen(server);
  const browser = await shareBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${port}/`);
    if (!(await page.evaluate(() => isSecureContext))) throw new Error("The page is not a secure context");
    // The bundle's last line defines it; see `bundle`.
    return await page.evaluate(() => (globalThis as unknown as { runTests: () => BrowserResult[] }).runTests());
  } finally {
    await browser.close();
    server.close();
  }
}

/** The test files as one script, which leaves `runTests` in the page. */
export async function bundle(files: readonly string[]): Promise<string> {
  const shim = join(import.meta.dirname, "browser-test-shim.ts");
  const lines = [...files, shim].map((file) => `import ${JSON.stringify(file)};`);
  const result = await build({
    stdin: {
      contents: [...lines, `import { runTests } from ${JSON.stringify(shim)}; globalThis.runTests = runTests;`].join(
        "\n",
      ),
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    ignoreAnnotations: true, // "sideEffects": false would drop test files, which are nothing but side effects
    write: false,
    format: "iife",
    platform: "browser",
    conditions: ["@sealpost/source"],
    alias: { "node:test": shim, "node:assert/strict": join(import.meta.dirname, "browser-assert-shim.ts") },
    sourcemap: "inline",
    logLevel: "silent",
  });
  const [output] = result.outputFiles;
  if (output === undefined) throw new Error("esbuild wrote nothing");
  return output.text;
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "localhost", () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address.port);
      else reject(new Error("The server listens on no port"));
    });
  });
}

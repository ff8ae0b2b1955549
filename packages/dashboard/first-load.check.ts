import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { buildDashboard, dashboardFolder } from "./build.ts";

/** Part of `npm run check`: what a first visit loads, and what must not be in any file. */
const firstLoadBytesMax = 180 * 1024;

const { manifest } = await buildDashboard();
const read = (file: string) => readFileSync(join(dashboardFolder, file), "utf8");

const html = read("index.html");
const pending = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, file = ""]) => file);
const loaded = new Map([["index.html", gzipSync(html).length]]);
for (const file of pending) {
  if (loaded.has(file)) continue;
  const text = read(file);
  loaded.set(file, gzipSync(text).length);
  // Static imports of a script, in contrast to `import()`.
  for (const [, imported = ""] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g))
    pending.push(`assets/${imported}`);
}
// The app begins once it has the first texts of one language: the largest there are.
const texts = manifest.files.filter((name) => /^assets\/first-[\w-]+\.js$/.test(name));
for (const file of texts) loaded.delete(file);
loaded.set("texts", Math.max(...texts.map((file) => gzipSync(read(file)).length)));
const total = [...loaded.values()].reduce((sum, bytes) => sum + bytes, 0);
console.log(`First load: ${(total / 1024).toFixed(1)} KB gzip in ${loaded.size} files`);
if (total > firstLoadBytesMax) {
  console.error(`More than ${firstLoadBytesMax / 1024} KB`);
  process.exitCode = 1;
}

/** Eval and its like, which the policy refuses anyway, and addresses of others, but for names of formats. */
const forbidden =
  /\bnew Function\(|\beval\(|https?:\/\/(?!(?:www\.w3\.org|schemas\.openxmlformats\.org|react\.dev|localhost|example\.com|forms\.example\.org|www\.example\.org|\*\.example\.org)\b)[a-z0-9-]+\.[a-z]/g;
for (const file of manifest.files.filter((name) => name.endsWith(".js"))) {
  for (const [found] of read(file).matchAll(forbidden)) {
    console.error(`${file} contains ${found}…`);
    process.exitCode = 1;
  }
}

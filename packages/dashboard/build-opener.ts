import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import { build as bundleWorker } from "esbuild";
import { build, type Plugin, type Rolldown } from "vite";
import { collectNotices } from "../../scripts/notices.ts";
import { browserTargets, createViteConfig } from "./vite-config.ts";

const packageFolder = import.meta.dirname;
const offlineFolder = join(packageFolder, "src", "offline");
const appTrustedTypes = join(packageFolder, "src", "browser", "trusted-types.ts");
/** In the place of the app's, which starts workers from the server's own files alone. */
const ownTrustedTypes = join(offlineFolder, "trusted-types.ts");

/** Its name, in the folder of the dashboard's build. */
export const openerFile = "sealpost-opener.html";

/** The page that opens sealed files without a server, in one file. The same sources give the same bytes. */
export async function bundleOpener(plugins: readonly Plugin[] = []): Promise<string> {
  const inputs: string[] = [];
  const result = await build({
    ...createViteConfig([...plugins, inOneFile(inputs)]),
    mode: "production",
    build: {
      write: false,
      target: browserTargets,
      modulePreload: false,
      reportCompressedSize: false,
      rollupOptions: { input: join(offlineFolder, "main.ts"), output: { codeSplitting: false } },
    },
  });
  const [{ output } = { output: [] }] = (Array.isArray(result) ? result : [result]) as Rolldown.RolldownOutput[]; // no watcher was asked for
  const script = output.find((file) => file.type === "chunk");
  const style = output.find((file) => file.type === "asset");
  if (output.length !== 2 || script?.type !== "chunk" || style?.type !== "asset")
    throw new Error(`The opener is more than a script and a style: ${output.map(({ fileName }) => fileName)}`);
  if (!script.moduleIds.includes(ownTrustedTypes) || script.moduleIds.includes(appTrustedTypes))
    throw new Error("The opener would start its workers as the app does, which a page from a file can't");
  const notices = await collectNotices("This page", [...script.moduleIds, ...inputs]);
  return createPage(script.code, String(style.source), notices);
}

/** Nothing may be loaded, from anywhere; what the page runs is named by its hash. */
function policyOf(script: string, style: string): string {
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  return [
    "default-src 'none'",
    "connect-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "worker-src blob:",
    "img-src data:",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types sealpost",
  ].join("; ");
}

function createPage(code: string, style: string, notices: string): string {
  // Inside an element, only its own end tag ends it; in a script a text may hold one.
  const script = code.replaceAll(/<(?=\/script|!--)/gi, "\\x3C");
  if (/<\/style/i.test(style)) throw new Error("A style sheet that ends its own element");
  const escaped = notices.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf(script, style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Sealpost opener</title>
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<noscript>This page opens submissions in your browser, so it needs JavaScript.</noscript>
<script type="module">${script}</script>
<template><pre>${escaped}</pre></template>
</body>
</html>
`;
}

/** Workers become texts of the page, and may be started from there alone. `inputs` gets the files that are in them. */
function inOneFile(inputs: string[]): Plugin {
  const suffix = "?worker&url";
  const prefix = "\0worker:";
  return {
    name: "in-one-file",
    enforce: "pre",
    resolveId(source, importer) {
      if (source.endsWith("/trusted-types.ts")) return ownTrustedTypes;
      for (const worker of ["age-worker.ts", "open-worker.ts"])
        if (source.endsWith(`/${worker}${suffix}`)) return prefix + join(offlineFolder, worker);
      if (source.endsWith(suffix) && importer !== undefined)
        return prefix + join(dirname(importer), source.slice(0, -suffix.length));
      return undefined;
    },
    async load(id) {
      if (!id.startsWith(prefix)) return undefined;
      const { outputFiles, metafile } = await bundleWorker({
        entryPoints: [id.slice(prefix.length)],
        absWorkingDir: packageFolder,
        bundle: true,
        write: false,
        metafile: true,
        format: "iife",
        minify: true,
        legalComments: "none",
        conditions: ["@sealpost/source"],
        target: browserTargets,
      });
      inputs.push(...Object.keys(metafile.inputs).map((file) => resolve(packageFolder, file)));
      const text = JSON.stringify(outputFiles[0]?.text);
      return `export default URL.createObjectURL(new Blob([${text}], { type: "text/javascript" }));`;
    },
  };
}

import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build, type Plugin, type Rolldown } from "vite";
import { collectNotices, noticesFile } from "../../scripts/notices.ts";
import { bundleOpener, openerFile } from "./build-opener.ts";
import { browserTargets, createViteConfig } from "./vite-config.ts";

const packageFolder = import.meta.dirname;
const root = join(packageFolder, "..", "..");
export const dashboardFolder = join(packageFolder, "dist");

/** The manifest of the build and its sources. Written last, so that a reader always finds a complete set. */
export interface Manifest {
  /** SHA-256 over everything that the build reads. */
  readonly sources: string;
  /** Names relative to the folder. Those in `assets` hold a hash of their bytes. */
  readonly files: readonly string[];
}

/**
 * Builds the app into `dist`, unless `dist` was made from these very sources. The same sources give the same bytes: names
 * hold hashes, and nothing of the machine or the moment gets in.
 */
export async function buildDashboard(): Promise<{ readonly built: boolean; readonly manifest: Manifest }> {
  const sources = hashSources();
  const existing = readManifest();
  if (existing?.sources === sources && existing.files.every((file) => existsSync(join(dashboardFolder, file))))
    return { built: false, manifest: existing };
  const manifest = await writeDashboard(dashboardFolder, sources);
  // Last, so that a service that starts meanwhile finds either all of the old or all of the new.
  const assets = join(dashboardFolder, "assets");
  for (const file of await readdir(assets))
    if (!manifest.files.includes(`assets/${file}`)) await rm(join(assets, file));
  return { built: true, manifest };
}

/** Builds the app into this folder. `plugins` are for tests of an app that differs in something. */
export async function writeDashboard(
  folder: string,
  sources: string,
  plugins: readonly Plugin[] = [],
): Promise<Manifest> {
  const outputs = await bundle(plugins);
  const manifest: Manifest = { sources, files: [...outputs.keys()].sort() };
  for (const [file, content] of outputs) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), content);
  }
  await writeFile(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

/** Everything that ends up in the app, or decides what does: its sources, those of the packages it imports, and the lockfile. */
function hashSources(): string {
  const files = globSync(
    [
      "package-lock.json",
      "packages/dashboard/{build.ts,build-opener.ts,vite-config.ts,index.html,package.json}",
      "scripts/notices.ts",
      "packages/{dashboard,envelope,sdk,texts,vault,wire}/src/**/*.{ts,tsx,css,svg,txt}",
    ],
    { cwd: root },
  );
  const hash = createHash("sha256");
  for (const file of files.map((path) => path.replaceAll("\\", "/")).sort()) {
    if (/\.test\.tsx?$|\/testing\//.test(file)) continue;
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update("\0");
  }
  return hash.digest("hex");
}

function readManifest(): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(join(dashboardFolder, "manifest.json"), "utf8")) as Manifest; // written above
  } catch {
    return undefined;
  }
}

/**
 * Everything of the first load in one file, instead of one for each set of modules that a later page shares with it: fifteen files fewer to ask for.
 * The modules that load texts are apart from it, because they run before it.
 */
const firstLoad = [
  {
    name: "texts",
    test: /packages[\\/](?:dashboard[\\/]src[\\/]texts[\\/]load-texts|texts[\\/]src[\\/]index)\.ts$/,
    priority: 2,
  },
  { name: "app", test: /packages[\\/]dashboard[\\/]src[\\/]app\.tsx$/, priority: 1 },
];

async function bundle(plugins: readonly Plugin[]): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const result = await build({
    ...createViteConfig(plugins),
    mode: "production",
    build: {
      write: false,
      target: browserTargets,
      modulePreload: { polyfill: false },
      // The policy allows no `data:` address but for images, and a file is easier to look at.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      rolldownOptions: { output: { codeSplitting: { groups: firstLoad } } },
    },
  });
  const [output] = (Array.isArray(result) ? result : [result]) as Rolldown.RolldownOutput[]; // no watcher was asked for
  if (output === undefined) throw new Error("The build of the dashboard gave nothing");
  const files = new Map(output.output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source]));
  const modules = output.output.flatMap((file) => (file.type === "chunk" ? file.moduleIds : []));
  files.set(openerFile, await bundleOpener(plugins));
  return files.set(noticesFile, (await collectNotices("The dashboard", modules)) + readListNotice());
}

/** Whose the list is that words are drawn from. */
function readListNotice(): string {
  const text = readFileSync(join(packageFolder, "src", "personal-key", "eff-large-wordlist-notice.txt"), "utf8");
  return `\n${"=".repeat(80)}\nWord list\n${"=".repeat(80)}\n\n${text}`;
}

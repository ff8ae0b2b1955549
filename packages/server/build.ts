import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { build, type Metafile, type Plugin } from "esbuild";
import { collectNotices, noticesFile } from "../../scripts/notices.ts";
import { type Manifest as DashboardManifest, dashboardFolder } from "../dashboard/build.ts";
import { browserFolder, type Manifest as EmbedManifest } from "../embed/build.ts";

const packageFolder = import.meta.dirname;
const sourceFolder = join(packageFolder, "src");
/** Everything that a machine needs in addition to Node.js and this package's `package.json`. */
export const distFolder = join(packageFolder, "dist");
/** The program: `sealpost-server.js`, its threads, and what they share. */
export const serviceFolder = join(distFolder, "service");

/** Where the built service finds what its sources find elsewhere, relative to `dist/service`. */
const places: ReadonlyMap<string, string> = new Map([
  [browserFolder.replace(/\/$/, ""), "../embed"],
  [dashboardFolder, "../dashboard"],
  [join(distFolder, "documentation.json"), "../documentation.json"],
  [join(packageFolder, "package.json"), "../../package.json"],
]);

/** Files of a build. Written last, so that a reader always finds a whole set. */
interface Manifest {
  /** SHA-256 over everything that the build reads. */
  readonly sources: string;
  /** Names relative to `dist/service`. */
  readonly files: readonly string[];
}

/**
 * Bundles the service with all of its libraries into `dist/service`, and puts embed and dashboard next to it: one folder that
 * needs no `node_modules`, starts in a third of the time of the sources, and is what Docker, systemd and npm run. The documents
 * are written into it by their own build. The same sources give the same bytes. Gives the names of what it wrote, relative to `dist`.
 */
export async function buildService(): Promise<readonly string[]> {
  const before = await readManifest();
  const sources = hashSources();
  const service = before?.sources === sources ? before.files : await buildProgram(sources, before?.files ?? []);
  const files = service.map((file) => `service/${file}`);
  files.push(...(await copyBuilt("embed", browserFolder, listEmbedFiles)));
  files.push(...(await copyBuilt("dashboard", dashboardFolder, (manifest: DashboardManifest) => manifest.files)));
  return files.sort();
}

function listEmbedFiles({ scripts, styles }: EmbedManifest): readonly string[] {
  return [...Object.values(scripts), ...Object.values(styles)].map(({ file }) => file).concat(noticesFile);
}

/** Copies what the manifest of a built folder lists, and last the manifest itself. Gives the names relative to `dist`. */
async function copyBuilt<Written>(
  name: string,
  folder: string,
  list: (manifest: Written) => readonly string[],
): Promise<readonly string[]> {
  const manifest = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")) as Written; // that build wrote it
  const files = [...list(manifest), "manifest.json"];
  for (const file of files) await writeChanged(join(distFolder, name, file), await readFile(join(folder, file)));
  return files.map((file) => `${name}/${file}`);
}

async function buildProgram(sources: string, before: readonly string[]): Promise<readonly string[]> {
  const { outputFiles, metafile } = await bundle(entryPoints, { splitting: true });
  // Each by itself, with no more than it uses of what the program's parts share: it starts in two thirds of the time.
  const threads = await bundle(listThreads(), { splitting: false });
  outputFiles.push(...threads.outputFiles);
  const outputs = new Map(outputFiles.map((file) => [relative(serviceFolder, file.path), file.contents]));
  for (const { path, text } of outputFiles)
    if (/^export default require_/m.test(text))
      throw new Error(`${path} is CommonJS, imported late: its names are lost`);
  outputs.set(noticesFile, await collectOwnNotices({ ...metafile.inputs, ...threads.metafile.inputs }));
  for (const [file, bytes] of outputs) await writeChanged(join(serviceFolder, file), bytes);
  const files = [...outputs.keys()].sort();
  const manifest: Manifest = { sources, files };
  await writeChanged(join(serviceFolder, "manifest.json"), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
  // Files of the previous build stay: a service that runs from it may still ask for a part that it loads late.
  const kept = new Set([...before, ...files, "manifest.json"]);
  for (const file of globSync("*", { cwd: serviceFolder })) if (!kept.has(file)) await rm(join(serviceFolder, file));
  return files;
}

/** Everything that ends up in the bundle, or decides what does: sources, libraries by the lock file, and what bundles them. */
function hashSources(): string {
  const root = join(packageFolder, "..", "..");
  const files = globSync(
    [
      "package-lock.json",
      "packages/server/build.ts",
      "scripts/notices.ts",
      "packages/{server,wire,pii,envelope,texts}/src/**/*.{ts,json}",
      "packages/dashboard/src/pages.ts",
    ],
    { cwd: root },
  );
  const hash = createHash("sha256");
  for (const file of files.map((path) => path.replaceAll("\\", "/")).sort())
    if (!/\.test\.ts$|\/testing\//.test(file))
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update("\0");
  return hash.digest("hex");
}

/** `service.js` is for tests, which start it inside their own process. */
const entryPoints = ["sealpost-server.ts", "service.ts"].map((file) => join(sourceFolder, file));

function listThreads(): string[] {
  return globSync("**/*-thread-entry.ts", { cwd: sourceFolder }).map((file) => join(sourceFolder, file));
}

function bundle(entryPoints: string[], { splitting }: { readonly splitting: boolean }) {
  return build({
    absWorkingDir: packageFolder,
    bundle: true,
    conditions: ["@sealpost/source"],
    entryPoints,
    entryNames: "[name]",
    chunkNames: "[name]-[hash]",
    // An optional addition to `pg`, asked for in a `try`.
    external: ["pg-native"],
    format: "esm",
    legalComments: "none",
    logLevel: "error",
    // Modules where a library has them: of CommonJS that is imported late, a bundle hands out no names.
    mainFields: ["module", "main"],
    metafile: true,
    minifySyntax: true,
    minifyWhitespace: true,
    outdir: serviceFolder,
    platform: "node",
    plugins: [placesOfTheBuild],
    sourcemap: true,
    // Names and lines for stack traces; the sources themselves would be five times as much.
    sourcesContent: false,
    splitting,
    target: "node26",
    // Libraries in CommonJS ask for Node's own modules by `require`, which modules do not have.
    banner: {
      js: 'import { createRequire as createRequireOfLibraries } from "node:module";\nconst require = createRequireOfLibraries(import.meta.url);',
    },
    write: false,
  });
}

/**
 * `new URL("./x-thread-entry.ts", import.meta.url)` leads to no file of the bundle: a service without its writer thread starts,
 * takes single submissions, and loses bursts. So each such address is replaced, and one that nothing is known about, or any
 * other use of `import.meta`, ends the build.
 */
const placesOfTheBuild: Plugin = {
  name: "places-of-the-build",
  setup(builder) {
    builder.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      if (!path.startsWith(sourceFolder)) return undefined;
      const source = await readFile(path, "utf8");
      const contents = source.replaceAll(/new URL\(\s*"([^"]+)",\s*import\.meta\.url,?\s*\)/g, (_all, name: string) => {
        const file = resolve(dirname(path), name);
        const place = file.endsWith("-thread-entry.ts") ? `./${basename(file, ".ts")}.js` : places.get(file);
        if (place === undefined) throw new Error(`${path}: the built service has no place for ${name}`);
        return `new URL(${JSON.stringify(place)}, BUILT_FILE)`;
      });
      if (contents.includes("import.meta"))
        throw new Error(`${path}: import.meta is another place in the built service`);
      return { contents: contents.replaceAll("BUILT_FILE", "import.meta.url"), loader: "ts" };
    });
  },
};

async function collectOwnNotices(inputs: Metafile["inputs"]): Promise<Uint8Array> {
  const files = Object.keys(inputs).map((input) => join(packageFolder, input));
  return Buffer.from(await collectNotices("The service", files));
}

async function readManifest(): Promise<Manifest | undefined> {
  const text = await readFile(join(serviceFolder, "manifest.json"), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const manifest = JSON.parse(text) as Manifest; // written above
  return manifest.files.every((file) => existsSync(join(serviceFolder, file))) ? manifest : undefined;
}

/** In one step, so that a reader meanwhile finds a whole file; and not at all where nothing changed. */
async function writeChanged(path: string, bytes: Uint8Array): Promise<void> {
  const there = await readFile(path).catch(() => undefined);
  if (there !== undefined && Buffer.compare(there, bytes) === 0) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  await writeFile(temporary, bytes);
  await rename(temporary, path);
}

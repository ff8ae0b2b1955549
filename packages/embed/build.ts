import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Plugin, transform } from "esbuild";
import { collectNotices, noticesFile } from "../../scripts/notices.ts";

export interface Script {
  readonly file: string;
  /** For the `integrity` attribute: `sha384-…`; of second scripts `sha256-…`, which is shorter, since every page loads it with the first. */
  readonly integrity: string;
}

export interface Manifest {
  readonly version: string;
  readonly scripts: {
    readonly sealpost: Script;
    /** In its place on pages that pin a key log: the same with what verifies one. */
    readonly "sealpost-key-log": Script;
    /** For forms with a hybrid key, in browsers without its algorithm. */
    readonly "sealpost-hybrid": Script;
    /** For forms that strip personal data. */
    readonly "sealpost-pii"?: Script;
  };
  /** The optional look of a form, for pages that want one. */
  readonly styles: { readonly sealpost: Script };
}

const packageFolder = fileURLToPath(new URL(".", import.meta.url));
export const moduleFolder = fileURLToPath(new URL("dist/", import.meta.url));
export const browserFolder = fileURLToPath(new URL("dist/browser/", import.meta.url));

/** Names of members that never leave the first script: not the page's, not the platform's, not JSON's. */
const ownMembers =
  /^(begin|bytes|chosen|content|collected|doubtful|edits|failed|hold|idle|isClear|left|next|offer|pressed|release|restore|scriptFolder|seconds|send|showMessages|showSending|showSent|trap|tries)$/;

/** The oldest browsers: those that know `new FormData(form, submitter)`, all of spring 2023. */
const target = ["chrome112", "firefox111", "safari16.4"];

const shared = {
  absWorkingDir: packageFolder,
  bundle: true,
  charset: "ascii", // so that a script says the same in the charset of whatever page and server it is put on
  conditions: ["@sealpost/source"],
  legalComments: "none",
  logLevel: "error",
  minify: true,
  target,
  write: false,
} as const satisfies BuildOptions;

/**
 * Builds the scripts and the stylesheet that a page loads, into `folder`, and says their names and integrity. The names hold a hash of the
 * bytes, so a name means one content for ever. The same sources give the same bytes, on every machine.
 */
export async function buildEmbed(folder: string = browserFolder): Promise<Manifest> {
  const { version } = JSON.parse(await readFile(`${packageFolder}package.json`, "utf8")) as { version: string }; // our own file
  const [hybrid, pii] = await Promise.all([bundleHybrid(), bundlePii()]);
  const outputs = new Map<string, string>();
  const hybridScript = nameFile("sealpost-hybrid", "js", version, hybrid.text, outputs, "sha256");
  const privacyScript =
    pii === undefined ? undefined : nameFile("sealpost-pii", "js", version, pii.text, outputs, "sha256");
  const define = defineSecondScripts(hybridScript, privacyScript);
  const keyLog = await bundle({
    entryPoints: ["src/browser-key-log.ts"],
    mangleProps: ownMembers,
    define: { ...define, SEALPOST_KEY_LOG: "true" },
  });
  const others = [hybrid, ...(pii === undefined ? [] : [pii])];
  outputs.set(noticesFile, others.map(({ notices }) => notices).join("\n"));
  const embed = await bundle({
    entryPoints: ["src/browser.ts"],
    mangleProps: ownMembers,
    define: { ...define, SEALPOST_KEY_LOG: "false" },
  });
  const sealpost = nameFile("sealpost", "js", version, embed, outputs);
  const style = nameFile("sealpost", "css", version, await minifyStyle(), outputs);
  const manifest: Manifest = {
    version,
    scripts: {
      sealpost,
      "sealpost-key-log": nameFile("sealpost-key-log", "js", version, keyLog, outputs),
      "sealpost-hybrid": hybridScript,
      ...(privacyScript === undefined ? {} : { "sealpost-pii": privacyScript }),
    },
    styles: { sealpost: style },
  };
  outputs.set("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
  await writeFolder(folder, outputs);
  return manifest;
}

/** The same as modules for bundlers, `index.js`, `react.js` and `key-log.js`, with the second scripts' names and integrity inside. Gives their names. */
export async function buildModule(folder: string = moduleFolder): Promise<readonly string[]> {
  const { scripts } = await buildEmbed();
  const { outputFiles } = await build({
    ...shared,
    entryPoints: ["src/index.ts", "src/react.tsx", "src/key-log.ts"],
    banner: licenceBanner,
    // Shared code is in files of its own, so that a page with several scripts has it once.
    chunkNames: "core-[hash]",
    define: {
      ...defineSecondScripts(scripts["sealpost-hybrid"], scripts["sealpost-pii"]),
      SEALPOST_KEY_LOG: "true",
    },
    external: ["react"],
    format: "esm",
    jsx: "automatic",
    minify: false,
    outdir: "dist",
    splitting: true,
  });
  const outputs = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  await writeFolder(folder, outputs);
  return [...outputs.keys()];
}

/** esbuild leaves regular expressions unchanged: there and in strings, an escape stands for the same character. */
function toAscii(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The names and the integrity of the second scripts, for the first. */
function defineSecondScripts(hybridScript: Script, privacyScript: Script | undefined): Record<string, string> {
  return {
    SEALPOST_HYBRID_SCRIPT: JSON.stringify(hybridScript),
    SEALPOST_PRIVACY_SCRIPT: JSON.stringify(privacyScript) ?? "undefined",
  };
}

/**
 * libphonenumber's metadata without the patterns that it formats numbers by: we only ask whether a number is valid, and visitors
 * need not load a fifth of the script for nothing.
 */
export const withoutPhoneFormats: Plugin = {
  name: "without-phone-formats",
  setup(builder) {
    builder.onLoad({ filter: /libphonenumber-js\/metadata\.min\.json\.js$/ }, async ({ path }) => ({
      contents: `export default ${JSON.stringify(trimPhoneMetadata((await import(path)).default))}`,
    }));
  },
};

interface PhoneMetadata {
  readonly countries: Readonly<Record<string, readonly unknown[]>>;
  readonly nonGeographic?: Readonly<Record<string, readonly unknown[]>>;
}

export function trimPhoneMetadata<Metadata extends PhoneMetadata>(metadata: Metadata): Metadata {
  const formats = 4; // the place of the patterns in a country's list
  const trim = (plans: PhoneMetadata["countries"] = {}) =>
    Object.fromEntries(
      Object.entries(plans).map(([name, plan]) => [
        name,
        plan.map((member, place) => (place === formats ? 0 : member)),
      ]),
    );
  return { ...metadata, countries: trim(metadata.countries), nonGeographic: trim(metadata.nonGeographic) };
}

interface SecondBundle {
  readonly text: string;
  /** The licences of what it contains. */
  readonly notices: string;
}

const licenceBanner = { js: `/*! Parts of this script are other people's: see ${noticesFile} of @sealpost/embed. */` };

/** The second script for forms with a hybrid key. */
function bundleHybrid(): Promise<SecondBundle> {
  return bundleWithNotices("sealpost-hybrid", { entryPoints: ["src/hybrid-script.ts"] });
}

async function bundleWithNotices(name: string, options: BuildOptions): Promise<SecondBundle> {
  const { metafile } = await build({ ...shared, ...options, write: false, outdir: "dist", metafile: true });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs));
  return {
    text: await bundle({ ...options, banner: licenceBanner }),
    notices: await collectNotices(
      `The script ${name}`,
      inputs.map((input) => join(packageFolder, input)),
    ),
  };
}

/** The second script, loaded for forms that strip personal data; `undefined` while there is nothing to strip with. */
async function bundlePii(): Promise<SecondBundle | undefined> {
  const { metafile } = await build({
    ...shared,
    entryPoints: ["@sealpost/pii"],
    outdir: "dist",
    format: "esm",
    metafile: true,
  });
  const [output] = Object.values(metafile.outputs);
  if (!output?.exports.includes("stripPii")) return undefined;
  const text = await bundle({
    entryPoints: ["src/privacy-script.ts"],
    plugins: [withoutPhoneFormats],
    banner: licenceBanner,
  });
  const inputs = Object.keys(output.inputs).map((input) => join(packageFolder, input));
  return { text, notices: await collectNotices("The script sealpost-pii", inputs) };
}

async function bundle(options: BuildOptions): Promise<string> {
  const { outputFiles } = await build({ ...shared, format: "iife", outdir: "dist", ...options, write: false });
  const [output] = outputFiles;
  if (output === undefined || outputFiles.length !== 1) throw new Error("The bundle of the embed is not one file");
  return toAscii(output.text);
}

async function minifyStyle(): Promise<string> {
  const source = await readFile(`${packageFolder}src/sealpost.css`, "utf8");
  return (await transform(source, { loader: "css", minify: true, target })).code;
}

function nameFile(
  name: string,
  kind: "js" | "css",
  version: string,
  text: string,
  outputs: Map<string, string>,
  algorithm: "sha256" | "sha384" = "sha384",
): Script {
  const hash = createHash("sha256")
    .update(text)
    .digest("hex")
    .slice(0, algorithm === "sha256" ? 8 : 16);
  const file = `${name}-${version}-${hash}.${kind}`;
  outputs.set(file, text);
  return { file, integrity: `${algorithm}-${createHash(algorithm).update(text).digest("base64")}` };
}

/**
 * Writes what changed, each file in one step and the manifest last: a reader in the meantime, another build included, finds
 * whole files. Scripts of earlier builds stay, their names say that they are others.
 */
async function writeFolder(folder: string, outputs: ReadonlyMap<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [file, text] of outputs) {
    const path = `${folder}/${file}`;
    if ((await readFile(path, "utf8").catch(() => undefined)) === text) continue;
    const temporary = `${path}.${process.pid}`;
    await writeFile(temporary, text);
    await rename(temporary, path);
  }
}

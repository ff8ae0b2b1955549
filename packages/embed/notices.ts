import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** Beside the scripts, in the package and in whatever folder is built. */
export const noticesFile = "THIRD_PARTY_NOTICES.txt";

/**
 * The licences of the packages that `inputs` (paths of a bundle's files, relative to this package) come from, by name. Throws
 * for a package that comes without one: it could not be passed on.
 */
export async function collectNotices(inputs: readonly string[]): Promise<string> {
  const folders = inputs.flatMap((input) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+\//.exec(input)?.[0] ?? []);
  const sections = await Promise.all([...new Set(folders)].map(readNotice));
  const names = sections.map(({ title }) => title).sort();
  const texts = names.map((name) => sections.find(({ title }) => title === name)?.text);
  return `The script sealpost-pii contains parts of: ${names.join(", ")}.\n\n${texts.join("\n")}`;
}

async function readNotice(folder: string): Promise<{ readonly title: string; readonly text: string }> {
  const path = fileURLToPath(new URL(folder, import.meta.url));
  const manifest = JSON.parse(await readFile(`${path}package.json`, "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  }; // npm installs nothing without a name and a version
  const title = `${manifest.name} ${manifest.version}`;
  const file = (await readdir(path)).find((name) => /^licen[cs]e(\.|$)/i.test(name));
  if (file === undefined) throw new Error(`${title} comes without a licence`);
  const licence = (await readFile(path + file, "utf8")).replaceAll("\r\n", "\n").trim();
  const heading = `${title} (${manifest.license ?? "licence below"})`;
  return { title, text: `${"=".repeat(80)}\n${heading}\n${"=".repeat(80)}\n\n${licence}\n` };
}

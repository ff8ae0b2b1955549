import { readdir, readFile } from "node:fs/promises";

/** In every package and built folder that contains parts of other packages. */
export const noticesFile = "THIRD_PARTY_NOTICES.txt";

/**
 * The licences of the packages that `inputs` (absolute paths of a bundle's files) come from, by name; `subject` is what contains
 * them. Throws for a package that comes without one: it could not be passed on.
 */
export async function collectNotices(subject: string, inputs: readonly string[]): Promise<string> {
  const folders = inputs.flatMap((input) => /^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+\//.exec(input)?.[0] ?? []);
  const sections = await Promise.all([...new Set(folders)].map(readNotice));
  const texts = new Map(sections.map(({ title, text }) => [title, text]));
  const names = [...texts.keys()].sort();
  return `${subject} contains parts of: ${names.join(", ")}.\n\n${names.map((name) => texts.get(name)).join("\n")}`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
}

async function readNotice(folder: string): Promise<{ readonly title: string; readonly text: string }> {
  const manifest = JSON.parse(await readFile(`${folder}package.json`, "utf8")) as Manifest; // npm installs nothing without a name and a version
  const title = `${manifest.name} ${manifest.version}`;
  const licence = await findLicence(folder);
  if (licence === undefined && manifest.license !== "MIT") throw new Error(`${title} comes without a licence`);
  const heading = `${title} (${manifest.license ?? "licence below"})`;
  return {
    title,
    text: `${"=".repeat(80)}\n${heading}\n${"=".repeat(80)}\n\n${licence ?? (await describeMit(manifest))}\n`,
  };
}

/** A file of its own, or the end of the README. */
async function findLicence(folder: string): Promise<string | undefined> {
  const files = await readdir(folder);
  const read = async (name: RegExp): Promise<string> => {
    const file = files.find((each) => name.test(each));
    return file === undefined ? "" : (await readFile(folder + file, "utf8")).replaceAll("\r\n", "\n").trim();
  };
  const licence = await read(/^licen[cs]e(\.|$)/i);
  if (licence !== "") return licence;
  const [, section = ""] = /^#+ *licen[cs]e[^\n]*\n([\s\S]*)$/im.exec(await read(/^readme\.md$/i)) ?? [];
  return section.includes("Permission is hereby granted") ? section.trim() : undefined;
}

/** Some packages name their licence in `package.json` alone. It asks for its text with every copy all the same. */
async function describeMit({ author }: Manifest): Promise<string> {
  const name = typeof author === "string" ? author : author?.name;
  const own = await readFile(new URL("../LICENSE", import.meta.url), "utf8");
  const [, permission = ""] = /^(Permission is hereby granted[\s\S]*)/m.exec(own) ?? [];
  return `Its package.json names the MIT licence${name === undefined ? "" : ` and its author, ${name}`}; the package has no file of it.\n\n${permission.trim()}`;
}

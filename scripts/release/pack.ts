import { execFile } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { chmod, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, normalize } from "node:path";
import { promisify } from "node:util";
import {
  createBundledManifest,
  createPublishedManifest,
  findBundled,
  type Package,
  readManifest,
  root,
  version,
} from "./packages.ts";

const run = promisify(execFile);

/**
 * Lays a package out in `stage`, next to those that were packed before it, as it will be installed, and packs it into `target`. npm sorts the entries and gives them one
 * time, so the same files make the same tarball. `built` names the files of `dist`.
 */
export async function pack(one: Package, built: readonly string[], stage: string, target: string): Promise<void> {
  const home = join(root, "packages", one.folder);
  await mkdir(stage, { recursive: true });
  const manifest = readManifest(`packages/${one.folder}`);
  const published = createPublishedManifest(one, manifest);
  const files = ["dist", ...one.extras];
  await writeFile(join(stage, "package.json"), `${JSON.stringify({ ...published, files }, null, 2)}\n`);
  await cp(join(root, "LICENSE"), join(stage, "LICENSE"));
  await writeFile(
    join(stage, "README.md"),
    nameLinks(await readFile(join(home, "README.md"), "utf8"), home, (path) =>
      one.extras.some((extra) => normalize(path).startsWith(extra)),
    ),
  );
  for (const extra of one.extras) await cp(join(home, extra), join(stage, extra), { recursive: true });
  for (const file of built) {
    await mkdir(dirname(join(stage, "dist", file)), { recursive: true });
    await cp(join(home, "dist", file), join(stage, "dist", file));
  }
  if (one.kind !== "service") for (const other of findBundled(manifest)) await bundle(other, stage);
  await packFolder(stage, target);
}

/** A package that was laid out before, inside of another one: its code, its types and its licence. */
async function bundle(one: Package, stage: string): Promise<void> {
  const inside = join(stage, "node_modules", "@sealpost", one.folder);
  await mkdir(inside, { recursive: true });
  for (const part of ["dist", "LICENSE"])
    await cp(join(dirname(stage), one.folder, part), join(inside, part), { recursive: true });
  await writeFile(join(inside, "package.json"), `${JSON.stringify(createBundledManifest(one), null, 2)}\n`);
}

/** The test vectors, for who builds a client: 3 MB that no program needs. */
export async function packVectors(stage: string, target: string): Promise<void> {
  await cp(join(root, "packages", "wire", "vectors"), stage, { recursive: true });
  const description = "Test vectors of Sealpost's formats";
  const manifest = { name: "@sealpost/vectors", version, description, license: "MIT", files: ["*.json"] };
  await writeFile(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  await cp(join(root, "LICENSE"), join(stage, "LICENSE"));
  await packFolder(stage, target);
}

async function packFolder(stage: string, target: string): Promise<void> {
  // The modes of a checkout depend on its owner's umask, and they are in the tarball.
  for (const file of globSync("**/*", { cwd: stage })) await chmod(join(stage, file), 0o755);
  await run("npm", ["pack", "--silent", "--ignore-scripts", `--pack-destination=${target}`], { cwd: stage });
}

/**
 * In an installed package a link from `home` into the rest of the repository leads nowhere: its text stays, and says where to look. Links
 * to what `isInside` the package stay.
 */
export function nameLinks(markdown: string, home: string, isInside: (path: string) => boolean): string {
  return markdown.replaceAll(/\[([^\]]+)\]\((?!https?:|#)([^)\s]+)\)/g, (link, text: string, target: string) => {
    const [path = ""] = target.split("#");
    if (isInside(path)) return link;
    const file = join(home, path);
    if (!existsSync(file)) throw new Error(`The README of ${home} links to ${target}, which is not there`);
    const name = normalize(file).slice(root.length + 1);
    return `${text} (\`${name}\` in the source)`;
  });
}

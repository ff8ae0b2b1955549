import { execFile } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { zipSync } from "fflate";
import { hashBytes } from "../../packages/cli/src/verify/served-list.ts";
import { findPython } from "../test-clients/python.ts";
import { nameLinks } from "./pack.ts";
import { root, version } from "./packages.ts";

const run = promisify(execFile);

/** A package of another language: its files below `clients/`, by patterns, and what of them is not for users. */
interface Client {
  readonly folder: string;
  readonly files: readonly string[];
  readonly not?: RegExp;
}

const go: Client = { folder: "go", files: ["**/*.{go,md,mod,sum}"], not: /_test\.go$/ };
const php: Client = { folder: "php", files: ["*.{md,json,php}", "src/**/*.php"] };
const python: Client = { folder: "python", files: ["*.{md,toml}", "src/**/*.{py,typed}"] };

/**
 * Packs the packages of other languages into `target`: for Go and PHP an archive of the sources, for Python a wheel and the sources, made by
 * Python's own tools. Gives a sentence for each that could not be made on this machine.
 */
export async function packClients(stage: string, target: string): Promise<readonly string[]> {
  writeZip(layOut(go, stage), join(target, `sealpost-go-${version}.zip`), `sealpost-go@v${version}`);
  writeZip(layOut(php, stage), join(target, `sealpost-php-${version}.zip`), `sealpost-php-${version}`);
  return await buildPython(layOut(python, stage), target);
}

/** Copies what is released of a client to `stage`, with the licence; links of its documents that lead nowhere from there say so. */
function layOut({ folder, files, not }: Client, stage: string): string {
  const home = join(root, "clients", folder);
  const laidOut = join(stage, `client-${folder}`);
  const found = globSync([...files], { cwd: home }).filter((file) => not?.test(file) !== true);
  for (const file of found) cpSync(join(home, file), join(laidOut, file));
  cpSync(join(root, "LICENSE"), join(laidOut, "LICENSE"));
  for (const file of found.filter((name) => name.endsWith(".md"))) {
    const place = join(home, file, "..");
    writeFileSync(
      join(laidOut, file),
      nameLinks(readFileSync(join(home, file), "utf8"), place, (link) => found.includes(join(file, "..", link))),
    );
  }
  // Modes depend on the umask of the owner of the checkout.
  for (const file of globSync("**/*", { cwd: laidOut })) {
    const path = join(laidOut, file);
    chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644);
  }
  return laidOut;
}

/** A file's time in an archive says nothing, and has to be the same everywhere: the first that a ZIP file can have, in any zone. */
function writeZip(folder: string, file: string, top: string): void {
  const names = globSync("**/*", { cwd: folder }).filter((name) => lstatSync(join(folder, name)).isFile());
  const entries = names
    .map((name) => name.replaceAll("\\", "/"))
    .toSorted()
    .map((name) => [`${top}/${name}`, readFileSync(join(folder, name))] as const);
  writeFileSync(file, zipSync(Object.fromEntries(entries), { level: 9, mtime: new Date(1980, 0, 1) }));
}

async function buildPython(folder: string, target: string): Promise<readonly string[]> {
  const program = findPython();
  if (program === undefined) return ["Python: skipped: Python 3.11 or newer with pip is absent"];
  const builder = await installBuilder(program).catch(() => undefined);
  if (builder === undefined) return ["Python: skipped: its build tools could not be installed from the registry"];
  const out = join(folder, "out");
  const options = {
    cwd: folder,
    env: { ...process.env, SOURCE_DATE_EPOCH: "1580601600", PYTHONDONTWRITEBYTECODE: "1" },
  };
  await run(builder, ["-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", out], options);
  for (const file of globSync("*", { cwd: out })) cpSync(join(out, file), join(target, file));
  return [];
}

/** Python with the build tools of python-requirements.txt, held to their hashes, in an environment that is kept. */
async function installBuilder(program: string): Promise<string> {
  const requirements = join(import.meta.dirname, "python-requirements.txt");
  const name = `sealpost-python-${hashBytes(readFileSync(requirements)).slice(0, 16)}`;
  const home = join(root, "node_modules", ".cache", name);
  const inside = join(home, process.platform === "win32" ? "Scripts" : "bin", "python");
  const done = join(home, "done");
  if (existsSync(done)) return inside;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  await run(program, ["-m", "venv", home]);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:"];
  await run(inside, [...pip, "--require-hashes", "-r", requirements]);
  writeFileSync(done, "");
  return inside;
}

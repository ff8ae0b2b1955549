/**
 * `npm run release:verify`: builds the release twice, in two folders with other names, languages, time zones, file modes and days, and
 * compares every byte. Ends with 1 and names the files if any differs: then the release can't be rebuilt by others.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hashBytes } from "../../packages/cli/src/verify/served-list.ts";
import { copyCheckout } from "./checkout.ts";

interface Surroundings {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly umask: number;
  /** Seconds by which the clock of Node.js is ahead, and the times of the sources. */
  readonly ahead: number;
}

const year = 366 * 86_400;
const surroundings: readonly [Surroundings, Surroundings] = [
  { folder: "one", environment: { TZ: "UTC", LANG: "C", LC_ALL: "C" }, umask: 0o022, ahead: 0 },
  {
    folder: "Zweiter Ordner, \u00e4nders",
    environment: { TZ: "Pacific/Kiritimati", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" },
    umask: 0o077,
    ahead: year,
  },
];

const home = mkdtempSync(join(tmpdir(), "sealpost-verify-"));
try {
  // Copies the same sources, whatever is edited during the builds.
  for (const { folder } of surroundings) mkdirSync(join(home, folder));
  copyCheckout(join(home, surroundings[0].folder));
  cpSync(join(home, surroundings[0].folder), join(home, surroundings[1].folder), {
    recursive: true,
    verbatimSymlinks: true,
  });
  const [one, other] = [build(surroundings[0]), build(surroundings[1])];
  const names = [...new Set([...one.keys(), ...other.keys()])].toSorted();
  const differing = names.filter((name) => one.get(name) !== other.get(name));
  for (const name of differing) console.error(`${name} differs${listInside(name)}`);
  if (differing.length === 0) console.log(`${names.length} files, the same in both builds, byte for byte`);
  else process.exitCode = 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

/** The SHA-256 of every file of a release that is built there. */
function build({ folder, environment, umask, ahead }: Surroundings): ReadonlyMap<string, string> {
  const checkout = join(home, folder);
  const before = process.umask(umask);
  const time = Date.now() / 1000 + ahead;
  for (const file of globSync(["packages/*/{src,vectors}/**/*", "clients/**/*", "docs/**/*"], { cwd: checkout }))
    setTimeAndMode(join(checkout, file), time, umask);
  // Programs that Node.js runs, npm among them, believe that it is another day.
  const clock = `const now = Date.now; globalThis.Date = class extends Date { constructor(...given) { if (given.length) super(...given); else super(now() + ${ahead * 1000}); } static now() { return now() + ${ahead * 1000}; } };`;
  const { SEALPOST_RELEASE_KEY: _key, SOURCE_DATE_EPOCH: _epoch, ...inherited } = process.env;
  const options = `--import=data:text/javascript,${encodeURIComponent(clock)}`;
  execFileSync(process.execPath, ["--conditions=@sealpost/source", join("scripts", "release.ts")], {
    cwd: checkout,
    env: { ...inherited, ...environment, ...(ahead > 0 && { NODE_OPTIONS: options }) },
    stdio: ["ignore", "ignore", "inherit"],
  });
  process.umask(before);
  return hashFolder(join(checkout, "release"));
}

/** As a checkout would have made it at that time under that mask. */
function setTimeAndMode(path: string, time: number, umask: number): void {
  chmodSync(path, (lstatSync(path).isDirectory() ? 0o777 : 0o666) & ~umask);
  utimesSync(path, time, time);
}

function hashFolder(folder: string): ReadonlyMap<string, string> {
  return new Map(
    globSync("**/*", { cwd: folder })
      .filter((file) => lstatSync(join(folder, file)).isFile())
      .map((file) => [file, hashBytes(readFileSync(join(folder, file)))] as const),
  );
}

/** Which files in it differ, if it is an archive that `tar` reads. */
function listInside(name: string): string {
  if (!/\.(tgz|tar\.gz)$/.test(name)) return "";
  const [one, other] = surroundings.map(({ folder }) => {
    const unpacked = join(home, `${folder}-${name}`);
    mkdirSync(unpacked);
    execFileSync("tar", ["-xzf", join(home, folder, "release", name), "-C", unpacked]);
    return hashFolder(unpacked);
  });
  const names = new Set([...(one?.keys() ?? []), ...(other?.keys() ?? [])]);
  const inside = [...names].filter((file) => one?.get(file) !== other?.get(file));
  return inside.length === 0 ? " in times, modes or order, not in its files" : `: ${inside.toSorted().join(", ")}`;
}

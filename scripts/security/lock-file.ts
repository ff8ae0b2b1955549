import type { Report } from "./report.ts";

/** One entry of `packages` in package-lock.json (lockfileVersion 3), with the members that are checked. */
export interface LockEntry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly inBundle?: boolean;
  readonly dev?: boolean;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly workspaces?: readonly string[];
}
export interface LockFile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockEntry>>;
}
/** As much of the root's package.json as decides about install scripts. */
export interface Manifest {
  readonly allowScripts?: Readonly<Record<string, boolean>>;
}

/** Licences that may be part of the product: each permits use, change and sale with at most a notice. */
const licences = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-0", "Unlicense"];
/** `(MIT OR Apache-2.0)` leaves the choice to the user. */
const isPermitted = (licence: string) =>
  licence
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((choice) => licences.includes(choice));
const registry = "https://registry.npmjs.org/";
/** A folder of the workspace; the second has the version of a library that would meet another one at the root. */
const ownFolder = /^(packages\/[a-z]+|tests\/react-18)$/;

/**
 * What of the lock file could bring in something else than what was looked at: an entry without a SHA-512, one that does not
 * come from the registry, a link out of the workspace, a licence nobody agreed to, an install script nobody decided about.
 * `lockfile-lint` was tried first: it passes an entry that has no integrity at all, and a link to anywhere.
 */
export function checkLockFile({ lockfileVersion, packages }: LockFile, { allowScripts = {} }: Manifest): Report {
  const entries = Object.entries(packages).filter(([path]) => path !== "");
  const installed = entries.filter(([path]) => path.startsWith("node_modules/") || path.includes("/node_modules/"));
  const findings = lockfileVersion === 3 ? [] : [`lockfileVersion is ${lockfileVersion}, this check knows 3`];
  for (const [path, entry] of entries) {
    const { resolved, integrity, link, inBundle } = entry;
    if (link === true) {
      if (!ownFolder.test(resolved ?? "")) findings.push(`${path} is a link to ${resolved}`);
      continue;
    }
    if (!installed.some(([known]) => known === path)) {
      if (!ownFolder.test(path)) findings.push(`${path} is no package of the workspace`);
      continue;
    }
    if (resolved !== undefined && !resolved.startsWith(registry)) findings.push(`${path} comes from ${resolved}`);
    if (!/^\d+\.\d+\.\d+/.test(entry.version ?? "")) findings.push(`${path} has no version of the registry`);
    // A bundled package is in the archive of the package around it, whose hash covers it.
    if (inBundle !== true && !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ""))
      findings.push(`${path} has no SHA-512 integrity`);
    if (entry.dev !== true && !isPermitted(entry.license ?? ""))
      findings.push(`${path} has the licence ${entry.license ?? "none"}`);
    if (entry.hasInstallScript === true && allowScripts[nameOf(path)] === undefined)
      findings.push(`${path} has an install script that allowScripts neither allows nor denies`);
  }
  for (const name of Object.keys(allowScripts))
    if (!installed.some(([path, entry]) => nameOf(path) === name && entry.hasInstallScript === true))
      findings.push(`allowScripts names ${name}, which has no install script`);
  const run = installed.filter(([, { dev }]) => dev !== true).length;
  const allowed = Object.values(allowScripts).filter(Boolean).length;
  return {
    summary: `${installed.length} packages, ${run} of them not only for development; ${allowed} may run an install script`,
    findings,
  };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

import { readFileSync } from "node:fs";
import { join } from "node:path";

export const root = join(import.meta.dirname, "..", "..");

/** The members of this repository's `package.json` files that a release reads. */
export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly type: string;
  readonly sideEffects?: boolean;
  readonly bin?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>;
}

export interface Package {
  /** The folder below `packages/`. */
  readonly folder: string;
  /**
   * `modules`: compiled file by file. `embed`: bundled by its own build, only the types are compiled. `service`: one folder with
   * all of its libraries inside.
   */
  readonly kind: "modules" | "embed" | "service";
  /** Its files in addition to code, README and licence. */
  readonly extras: readonly string[];
  /** The oldest Node.js that it is tested on; not named where a browser runs it. */
  readonly node?: number;
}

/** The parts of a release; each comes after those that it is compiled against. */
export const packages: readonly Package[] = [
  { folder: "wire", kind: "modules", extras: ["SPECIFICATION.md"], node: 22 },
  { folder: "envelope", kind: "modules", extras: [], node: 22 },
  { folder: "pii", kind: "modules", extras: ["RULES.md"], node: 22 },
  { folder: "embed", kind: "embed", extras: [] },
  { folder: "sdk", kind: "modules", extras: [], node: 22 },
  { folder: "cli", kind: "modules", extras: [], node: 22 },
  { folder: "server", kind: "service", extras: [], node: 26 },
];

export function readManifest(folder: string): PackageManifest {
  return JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as PackageManifest; // our own file
}

/** The version of everything: in the root's `package.json`, from where `release:version` writes it to all others. */
export const version: string = readManifest(".").version;

/** Scope of our packages. It is nobody's in the registries: anyone who registered it there could run code at users whose npm asks for it. */
const scope = "@sealpost/";

export interface PublishedManifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly bundleDependencies?: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
}

/** Those of our packages that this one brings along in its own `node_modules`: all that it depends on, and what these depend on. */
export function findBundled(manifest: PackageManifest): readonly Package[] {
  const names = new Set<string>();
  const add = ({ dependencies = {} }: PackageManifest) => {
    for (const name of Object.keys(dependencies).filter((each) => each.startsWith(scope) && !names.has(each))) {
      names.add(name);
      add(readManifest(`packages/${name.slice(scope.length)}`));
    }
  };
  add(manifest);
  return packages.filter(({ folder }) => names.has(scope + folder));
}

/**
 * The `package.json` that is installed: nothing of the sources, of the tests or of this repository is left in it. It names the libraries of
 * the packages that it brings along as its own.
 */
export function createPublishedManifest({ kind, node }: Package, manifest: PackageManifest): PublishedManifest {
  const { name, description, license, type, sideEffects, bin, peerDependencies, peerDependenciesMeta } = manifest;
  const bundled = findBundled(manifest).map(({ folder }) => readManifest(`packages/${folder}`));
  const named = [...bundled, manifest].flatMap(({ dependencies }) => Object.entries(dependencies ?? {}));
  const dependencies = Object.fromEntries(named.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  const common = { name, version, description, license, type, ...(node && { engines: { node: `>=${node}` } }) };
  if (kind === "service") return { ...common, bin: { "sealpost-server": "dist/service/sealpost-server.js" } };
  return {
    ...common,
    ...(sideEffects !== undefined && { sideEffects }),
    ...(bin && { bin: mapValues(bin, (path) => path.replace("./src/", "dist/").replace(/\.ts$/, ".js")) }),
    ...publishEntries(manifest.exports),
    ...(named.length > 0 && { dependencies }),
    ...(bundled.length > 0 && { bundleDependencies: bundled.map((one) => one.name) }),
    ...(peerDependencies && { peerDependencies, peerDependenciesMeta }),
  };
}

/** That of a package inside of another, whose manifest names what it needs: so that nobody looks for it anywhere else. */
export function createBundledManifest({ folder, kind, extras }: Package): object {
  const manifest = readManifest(`packages/${folder}`);
  const { name, description, license, type, sideEffects } = manifest;
  return {
    ...{ name, version, description, license, type },
    ...(sideEffects !== undefined && { sideEffects }),
    ...(kind !== "service" && publishEntries(manifest.exports)),
    files: ["dist", ...extras],
  };
}

/**
 * Without the condition that leads to the sources, which are not in the package. `main`, `types` and `typesVersions` say the same to
 * TypeScript's older resolution (`node10`), which knows no `exports`: CommonJS projects still have it.
 */
function publishEntries(exports: PackageManifest["exports"]): object {
  if (exports === undefined) return {};
  const published = mapValues(exports, ({ "@sealpost/source": _source, ...conditions }) => conditions);
  const { ".": root, ...others } = published;
  const types = Object.entries(others).map(
    ([path, conditions]) => [path.replace("./", ""), [conditions.types]] as const,
  );
  return {
    ...(root && { main: root.default, types: root.types }),
    ...(types.length > 0 && { typesVersions: { "*": Object.fromEntries(types) } }),
    exports: { ...published, "./package.json": "./package.json" },
  };
}

function mapValues<Value, Result>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

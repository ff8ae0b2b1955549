import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { listComponents } from "./packages/dashboard/testing/components.ts";
import { longComponents } from "./packages/dashboard/testing/long-components.ts";

interface SourceFile {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
}

const root = import.meta.dirname;
const isTest = (path: string) => /\.test\.tsx?$/.test(path) || path.includes("/testing/");
const sources: readonly SourceFile[] = globSync("packages/*/src/**/*.{ts,tsx}", { cwd: root })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => !isTest(path))
  .map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, imports: importsOf(text) };
  });

function importsOf(text: string): readonly string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*"([@\w./:-]+)"/g)].map((match) => match[1] ?? "");
}

function inPackage(name: string): readonly SourceFile[] {
  return sources.filter(({ path }) => path.startsWith(`packages/${name}/`));
}

function outside({ imports }: SourceFile): readonly string[] {
  return imports.filter((name) => !name.startsWith("."));
}

/** The packages that each package may import; a name ending in `*` is a prefix. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  texts: [],
  envelope: ["@sealpost/wire", "@sealpost/wire/open", "@scure/base", "age-encryption", "hpke", "shamir-secret-sharing"],
  pii: ["libphonenumber-js*", "@noble/hashes/*"],
  embed: ["@sealpost/wire", "@sealpost/pii", "@sealpost/texts/embed", "@noble/post-quantum/hybrid.js", "react"],
  sdk: ["@sealpost/wire", "@sealpost/wire/open", "@sealpost/envelope", "fflate", "node:*"],
  cli: [
    "node:*",
    "acorn",
    "age-encryption",
    "commander",
    "parse5",
    "@sealpost/envelope",
    "@sealpost/sdk*",
    "@sealpost/wire",
  ],
  vault: [
    "@noble/curves/*",
    "@noble/hashes/*",
    "@noble/post-quantum/*",
    "@sealpost/envelope",
    "@sealpost/sdk",
    "@sealpost/sdk/envelopes",
    "@sealpost/wire",
    "@zxcvbn-ts/*",
    "age-encryption",
  ],
  dashboard: [
    "@sealpost/envelope",
    "@sealpost/sdk",
    "@sealpost/sdk/csv",
    "@sealpost/sdk/envelopes",
    "@sealpost/sdk/xlsx",
    "@sealpost/texts",
    "@sealpost/vault",
    "@sealpost/wire",
    "@tanstack/*",
    "age-encryption",
    "fflate",
    "qr/decode.js",
    "radix-ui",
    "react",
    "react-dom",
    "react-dom/client",
    "uqr",
  ],
  server: [
    "node:*",
    "@sealpost/dashboard/pages",
    "@sealpost/envelope/form",
    "@sealpost/texts",
    "@sealpost/texts/api-sentences",
    "@sealpost/wire",
    "@sealpost/pii",
    "@better-auth/*",
    "@fastify/*",
    "@simplewebauthn/*",
    "@zxcvbn-ts/*",
    "ajv",
    "better-auth*",
    "commander",
    "fastify*",
    "ipaddr.js",
    "kysely*",
    "nodemailer",
    "openid-client",
    "pg",
    "pino",
    "prom-client",
    "rate-limiter-flexible",
    "typebox",
  ],
};

function isAllowed(name: string, names: readonly string[]): boolean {
  return names.some((rule) => (rule.endsWith("*") ? name.startsWith(rule.slice(0, -1)) : name === rule));
}

for (const [name, names] of Object.entries(allowed)) {
  test(`${name} imports nothing but ${names.join(", ") || "itself"}`, () => {
    const files = inPackage(name);
    assert.ok(files.length > 0);
    for (const file of files) {
      assert.deepEqual(
        outside(file).filter((imported) => !isAllowed(imported, names)),
        [],
        file.path,
      );
    }
  });
}

test("a package reaches another only by its name, never by a path into it", () => {
  for (const { path, imports } of sources) {
    const home = path.split("/").slice(0, 2).join("/");
    for (const name of imports.filter((imported) => imported.startsWith("."))) {
      assert.ok(normalize(join(dirname(path), name)).startsWith(home), `${path} imports ${name}`);
    }
  }
});

test("no language is imported but by the list of languages: whatever shows texts has the reader's", () => {
  for (const { path, imports } of inPackage("texts")) {
    // The embed is built with the texts of `embed.ts`: its page says which language it has.
    const isList = /^packages\/texts\/src\/(?:languages|language|embed|api-sentences)\.ts$/.test(path);
    const folder = path.match(/^packages\/texts\/src\/([\w-]+)\//)?.[1];
    const others = imports.filter((name) => {
      const [, language] = normalize(join(dirname(path), name)).match(/^packages\/texts\/src\/([\w-]+)\//) ?? [];
      return language !== undefined && language !== folder;
    });
    assert.ok(isList || others.length === 0, `${path} imports ${others}`);
    assert.ok(!isList || others.length > 0, path);
  }
});

test("the server can't open a submission: nothing in it imports opening", () => {
  for (const file of inPackage("server")) assert.ok(!file.imports.includes("@sealpost/wire/open"), file.path);
});

test("what the server has of the dashboard is its list of pages: plain data, which imports nothing", () => {
  const list = sources.find(({ path }) => path === "packages/dashboard/src/pages.ts");
  assert.deepEqual(list?.imports, []);
});

test("the vault needs no page: it is compiled for workers, where there is no document, window or storage of a page", () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, "packages/vault/tsconfig.json"), "utf8"));
  assert.deepEqual(compilerOptions.lib, ["es2024", "webworker"]);
  for (const { path, text } of inPackage("vault"))
    assert.doesNotMatch(text, /\b(?:document|window|localStorage|sessionStorage)\b[.[]|\.tsx?\?/, path);
});

test("what the server has of envelopes and personal keys opens nothing: their form, without the libraries that decrypt", () => {
  const byPath = new Map(inPackage("envelope").map((file) => [file.path, file]));
  const reached = new Set<string>();
  const visit = (path: string): void => {
    const file = byPath.get(path);
    if (file === undefined || reached.has(path)) return;
    reached.add(path);
    for (const name of importsOf(file.text.replace(/^import type [^;]*;/gm, "")))
      if (name.startsWith(".")) visit(normalize(join(dirname(path), name)));
      else assert.ok(["@sealpost/wire", "@scure/base"].includes(name), `${path} imports ${name}`);
  };
  visit("packages/envelope/src/form.ts");
  assert.ok(reached.has("packages/envelope/src/copy-form.ts"));
});

test("the SDK runs anywhere: what remembers heads is for Node.js, and nothing but what opens envelopes needs their package", () => {
  for (const { path, imports } of inPackage("sdk")) {
    const mayUseNode = /^packages\/sdk\/src\/(?:head-file|lock-owner)\.ts$/.test(path);
    assert.ok(mayUseNode || !imports.some((name) => name.startsWith("node:")), path);
    const isOfEnvelopes = mayUseNode || /^packages\/sdk\/src\/envelopes(\.ts|\/)/.test(path);
    assert.ok(isOfEnvelopes || !imports.includes("@sealpost/envelope"), path);
    const isReached = imports.some((name) => /^\.\.?\/(?:envelopes(?:\/|\.ts)|head-file\.ts)/.test(name));
    assert.ok(isOfEnvelopes || !isReached, path);
    // An optional peer, which only a program that writes workbooks installs.
    const isOfWorkbooks = path === "packages/sdk/src/xlsx.ts";
    assert.ok(isOfWorkbooks || !imports.some((name) => name === "fflate" || name === "./xlsx.ts"), path);
  }
});

test("only main.ts touches the process", () => {
  for (const { path, text } of [...inPackage("server"), ...inPackage("sdk"), ...inPackage("cli")]) {
    // The second looks whether this Node.js can load the first.
    if (/\/(main|sealpost|sealpost-server)\.ts$/.test(path)) continue;
    assert.doesNotMatch(text, /(?<![.\w"'`/])process\.(env|argv|exit|stdin|stdout|stderr|on)\b/, path);
  }
});

/** Files that decide and do nothing else; every other file may have effects. */
const domain = [
  "accounts/sign-up.ts",
  "config/smtp-target.ts",
  "deliveries/delivery.ts",
  "forms/form.ts",
  "mail/form-emails.ts",
  "mail/mail.ts",
  "mail/link-mail-text.ts",
  "mail/mail-language.ts",
  "mail/mail-text.ts",
  "mail/security-mail-text.ts",
  "mail/security-pages.ts",
  "oidc/admission.ts",
  "quotas/quota.ts",
  "submissions/submission.ts",
].map((path) => `packages/server/src/${path}`);

test("no function of the server promises a reply: one that is awaited is sent, and then nothing is there to answer with", () => {
  const promising = inPackage("server").filter(({ text }) => /Promise<[^<>]*\bFastifyReply\b/.test(text));
  assert.deepEqual(
    promising.map(({ path }) => path),
    [],
  );
});

test("domain files are synchronous and read no clock, randomness, environment, disk or socket", () => {
  for (const path of domain) {
    const file = sources.find((source) => source.path === path);
    assert.ok(file !== undefined, path);
    assert.doesNotMatch(
      file.text,
      /\bDate\.now|new Date\(\)|Math\.random|getRandomValues|\bprocess\.|\bawait\b|\bfetch\(/,
      path,
    );
    for (const name of outside(file))
      assert.ok(
        ["@sealpost/dashboard/pages", "@sealpost/texts", "@sealpost/wire", "node:crypto"].includes(name),
        `${path} imports ${name}`,
      );
    if (outside(file).includes("node:crypto"))
      assert.match(file.text, /import \{ timingSafeEqual \} from "node:crypto"/, path);
  }
});

test("no step of the purge reads the time by itself: each has that of the run, for which the clock guard was asked", () => {
  const readsClock = /\bDate\.now\b|\bnew Date\(\)|\bsystemClock\b|\bclock\.now\b|\bClock\b(?!Seen)/;
  assert.match("const now = clock.now();", readsClock);
  const endedRows = "packages/server/src/startup/ended-rows.ts";
  const ended = sources.find(({ path }) => path === endedRows) ?? assert.fail(endedRows);
  const steps = new Set([
    ...[endedRows, ...namedIn(ended).filter((path) => path.endsWith("-store.ts"))],
    ...["account-life/account-purge-store.ts", "audit-log/audit-retention-store.ts"].map(
      (path) => `packages/server/src/${path}`,
    ),
    ...inPackage("server").flatMap(({ path }) => (/\/retention\/[\w-]+-store\.ts$/.test(path) ? [path] : [])),
  ]);
  assert.ok(steps.size > 12);
  for (const { path, text } of sources) if (steps.has(path)) assert.doesNotMatch(text, readsClock, path);
  const worker = sources.find(({ path }) => path.endsWith("/retention/purge-worker.ts"));
  assert.equal(worker?.text.match(/\bnow\(\)/g)?.length, 1, "once for each run");
});

/** Who may import a role: imports point from routes and workers to stores and clients, and from there to the domain. */
const roles: readonly { readonly suffix: string; readonly mayImport: RegExp }[] = [
  { suffix: "-store.ts", mayImport: /-(routes|worker|client)\.ts$/ },
  { suffix: "-client.ts", mayImport: /-(routes|worker|store)\.ts$/ },
  { suffix: "-worker.ts", mayImport: /-routes\.ts$/ },
];

test("stores, clients and workers do not import what stands above them", () => {
  for (const { suffix, mayImport: above } of roles) {
    for (const { path, imports } of inPackage("server").filter((file) => file.path.endsWith(suffix))) {
      assert.deepEqual(
        imports.filter((name) => above.test(name)),
        [],
        path,
      );
    }
  }
});

test("only stores and database/ contain SQL", () => {
  const builders = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(/;
  // The delivery store is too long for one file; its parts are the queue-*.ts.
  const exceptions =
    /\/(instance\/instance|embed\/embed-scripts|submissions\/write-batch|outbox\/record-events|outbox\/queue-wipe|deliveries\/queue-[a-z]+)\.ts$/;
  for (const { path, text } of inPackage("server")) {
    const isStore = path.endsWith("-store.ts") || path.includes("/database/") || exceptions.test(path);
    if (!isStore) assert.doesNotMatch(text, builders, path);
  }
});

test("no statement looks for an at sign: whether a row is of a person or of an organization, its table says", () => {
  // docs/decisions/0042-persons-and-organizations.md
  const atSign = /(["'`%])@\1/;
  assert.match(".where(sql`email like '%@%'`)", atSign);
  for (const { path, text } of inPackage("server"))
    if (/-store\.ts$|\/database\//.test(path)) assert.doesNotMatch(text, atSign, path);
});

/**
 * The floors of the two largest packages, from the top. Each folder of `src`, and each file next to the folders, is on one of them.
 * Imports only go down, types included. `docs/architecture.md` explains and draws them.
 */
const floorsOf = {
  server: [
    ["sealpost-server.ts"],
    ["main.ts"],
    ["serve"],
    ["service.ts"],
    ["startup"],
    ["api-reference", "backup", "doctor"],
    ["api-document", "copy", "distribution", "documentation"],
    ["account-life", "dashboard", "html-forms", "metrics", "oidc", "operators", "passkeys", "retention"],
    ["accounts", "deliveries", "organizations", "personal-keys", "submissions"],
    ["api-keys", "forms"],
    ["mail", "rate-limits", "webhooks"],
    ["audit-log", "authentication", "embed", "quotas", "statistics"],
    ["http"],
    ["instance", "outbox"],
    ["access", "database"],
    ["config", "output", "problems", "time", "watchdog"],
  ],
  dashboard: [
    ["main.ts", "offline"],
    ["app.tsx"],
    ["router.tsx"],
    ["page-components.tsx", "shell"],
    [
      ...["account", "api-keys", "forms", "instance", "key-versions", "members"],
      ...["recovery", "statistics", "submissions", "webhooks", "your-key"],
    ],
    ["admissions", "deliveries", "key-log", "usage"],
    ["readers"],
    ["form", "key-copies", "sign-in"],
    ["devices", "keys"],
    ["personal-key"],
    ["envelopes", "organization"],
    ["scanner", "session"],
    ["form-kit"],
    ["ui"],
    ["api"],
    ["texts"],
    ["browser", "pages.ts", "refusals.ts"],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly string[])[]>>;
type PackageWithFloors = keyof typeof floorsOf;

const folderOf = (name: PackageWithFloors) => `packages/${name}/src/`;
/** The folder of a package that contains a path, or the file next to the folders. */
const placeOf = (name: PackageWithFloors, path: string) => path.slice(folderOf(name).length).split("/")[0] ?? "";
/** From 1 at the top, as the document counts them; 0 for none. */
const floorOf = (name: PackageWithFloors, place: string) =>
  floorsOf[name].findIndex((places: readonly string[]) => places.includes(place)) + 1;

/** Every file of its package that this one names: imports, type-only imports, dynamic imports, threads and workers. */
function namedIn({ path, text }: Pick<SourceFile, "path" | "text">): readonly string[] {
  return Array.from(
    text.matchAll(/\b(?:from|import|new URL)\s*\(?\s*"(\.[\w./-]+\.tsx?)(?:\?[\w&]+)?"/g),
    ([, name = ""]) => normalize(join(dirname(path), name)),
  );
}

/** Files named by this one that are neither below it nor in its own folder. */
function findUpward(name: PackageWithFloors, file: Pick<SourceFile, "path" | "text">): readonly string[] {
  const place = placeOf(name, file.path);
  return namedIn(file).filter((named) => {
    const other = placeOf(name, named);
    return other !== place && floorOf(name, other) <= floorOf(name, place);
  });
}

for (const name of Object.keys(floorsOf) as PackageWithFloors[]) {
  test(`every folder of the ${name} is on one floor, and every folder of the floors exists`, () => {
    const places = new Set(inPackage(name).map(({ path }) => placeOf(name, path)));
    assert.deepEqual([...places].toSorted(), floorsOf[name].flat().toSorted());
  });

  test(`imports in the ${name} go down its floors, never up and never to another folder on the same floor`, () => {
    const upward = inPackage(name).flatMap((file) =>
      findUpward(name, file).map((named) => `${file.path} names ${named}`),
    );
    assert.deepEqual(upward, []);
  });

  test(`the table and the picture in docs/architecture.md show the same floors of the ${name}`, () => {
    const [, section = ""] = readFileSync(join(root, "docs/architecture.md"), "utf8").split(
      `\n## The floors of the ${name}\n`,
    );
    const [text = ""] = section.split("\n## ");
    const [, image = ""] = text.match(/\]\((images\/[\w-]+\.svg)\)/) ?? [];
    const rows = text.matchAll(/^\| (\d+) \| `([\w.-]+)` \| \S/gm);
    const drawn = readFileSync(join(root, "docs", image), "utf8").matchAll(
      /<text class="(name|number)[^>]*>([\w.-]+)</g,
    );
    const wanted = floorsOf[name].flatMap((places, index) => places.map((place) => [index + 1, place]));
    const byPlace = (one: readonly unknown[], other: readonly unknown[]) =>
      String(one[1]).localeCompare(String(other[1]));
    const inTable = Array.from(rows, ([, floor, place]) => [Number(floor), place]);
    assert.deepEqual(inTable.toSorted(byPlace), wanted.toSorted(byPlace));
    let floor = 0;
    const inPicture = [...drawn].flatMap(([, kind, label]) => {
      if (kind === "name") return [[floor, label]];
      floor = Number(label);
      return [];
    });
    assert.deepEqual(inPicture.toSorted(byPlace), wanted.toSorted(byPlace));
  });
}

test("an import that goes up or sideways is found in every form that an import can have", () => {
  const find = (text: string) => findUpward("server", { path: "packages/server/src/forms/form.ts", text });
  for (const text of [
    'import { a } from "../submissions/submission.ts";',
    'import type {\n  A,\n  B,\n} from "../api-keys/api-key.ts";',
    'export * from "../app.ts";',
    'const service = await import("../service.ts");',
    'new Worker(new URL("../deliveries/thread.ts", import.meta.url));',
    'import url from "../deliveries/thread.ts?worker&url";',
    'import "../nowhere/nothing.ts";',
  ])
    assert.equal(find(text).length, 1, text);
  assert.deepEqual(find('import { a } from "./form-store.ts"; import { b } from "../outbox/record-events.ts";'), []);
});

/** The files of a circle, each of which names the next one, and the last the first; none where there is no circle. */
function findCircle(files: readonly Pick<SourceFile, "path" | "text">[]): readonly string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): readonly string[] => {
    if (trail.includes(path)) return trail.slice(trail.indexOf(path));
    const file = byPath.get(path);
    if (file === undefined || done.has(path)) return [];
    for (const named of namedIn(file)) {
      const circle = visit(named, [...trail, path]);
      if (circle.length > 0) return circle;
    }
    done.add(path);
    return [];
  };
  for (const { path } of files) {
    const circle = visit(path, []);
    if (circle.length > 0) return circle;
  }
  return [];
}

test("no file of any package imports itself by a detour, be it for a type, later, or as a thread or worker", () => {
  assert.deepEqual(findCircle(sources), []);
});

test("a circle is found in every form that an import can have", () => {
  const back = { path: "packages/one/src/b.ts", text: 'export { a } from "./a.ts";' };
  for (const text of [
    'import { b } from "./b.ts";',
    'import type {\n  B,\n} from "./b.ts";',
    'const b = await import("../src/b.ts");',
    'type B = typeof import("./b.ts");',
    'new Worker(new URL("./b.ts", import.meta.url));',
    'import workerUrl from "./b.ts?worker&url";',
  ])
    assert.equal(findCircle([{ path: "packages/one/src/a.ts", text }, back]).length, 2, text);
  assert.deepEqual(findCircle([{ path: "packages/one/src/a.ts", text: 'import { c } from "./c.ts";' }, back]), []);
});

test("the service's program knows its command before it loads a library that only some commands need", () => {
  const byPath = new Map(sources.map((file) => [file.path, file]));
  const loaded = new Set<string>();
  const libraries = new Set<string>();
  const visit = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    // An import that happens late has a bracket before its name.
    const text = (byPath.get(path)?.text ?? "").replace(/^import type [^;]*;|\bimport\(/gm, "");
    for (const [, name = ""] of text.matchAll(/\b(?:from|import) "([@\w./:-]+)"/g)) {
      if (name.startsWith(".")) visit(normalize(join(dirname(path), name)));
      else if (!name.startsWith("node:")) libraries.add(name);
    }
  };
  visit("packages/server/src/main.ts");
  assert.deepEqual([...libraries].toSorted(), [
    "@sealpost/dashboard/pages",
    "@sealpost/texts/api-sentences",
    "@sealpost/wire",
    "commander",
    "ipaddr.js",
  ]);
});

test("every form of the dashboard is one of the form kit's, which alone reads what is typed", () => {
  // docs/decisions/0059-form-kit.md
  const isForm = /<form\b(?! data-sealpost| action=)|\bnew FormData\(|\.elements\.namedItem\(/; // two are snippets for other pages
  const byHand = inPackage("dashboard").filter(({ text }) => isForm.test(text));
  assert.deepEqual(byHand.map(({ path }) => path).toSorted(), [
    "packages/dashboard/src/form-kit/fields-form.tsx",
    "packages/dashboard/src/form-kit/use-fields.ts",
  ]);
});

const components = inPackage("dashboard")
  .filter(({ path }) => path.endsWith(".tsx"))
  .flatMap(({ path, text }) =>
    listComponents(path, text).map((component) => ({
      ...component,
      id: `${path.slice(folderOf("dashboard").length)}#${component.name}`,
    })),
  );

test("a dialog that asks for something is a form: one that is only confirmed has no field", () => {
  const field = /<(?:input|select|textarea|Select|(?:Text|Password|Passphrase|Switch)?Field|TextArea)\b/;
  const asking = components.filter(({ text }) => text.includes("<ActionDialog") && field.test(text));
  assert.deepEqual(
    asking.map(({ id }) => id),
    [],
  );
});

const linesMax = 100;
const linesWithoutReason = 60;

test(`a component is one screen of code: at most ${linesWithoutReason} lines, or ${linesMax} with a reason in the record of long components`, () => {
  const long = components.filter(({ lines }) => lines > linesWithoutReason);
  const tooLong = long.filter(({ lines }) => lines > linesMax);
  assert.deepEqual(
    tooLong.map(({ id, lines }) => [id, lines]),
    [],
  );
  // Both ways: what is short again leaves the record.
  assert.deepEqual(long.map(({ id }) => id).toSorted(), Object.keys(longComponents).toSorted());
});

test("a component is measured however it is written, with what is inside of it", () => {
  const lines = "<b>\n</b>";
  for (const text of [
    `function A() {\n  return ${lines};\n}`,
    `export default function A() {\n  return ${lines};\n}`,
    `export const A = () => (\n  ${lines}\n);`,
    `const A = memo(function A() {\n  return ${lines};\n});`,
    `const A = { row: () => (\n  ${lines}\n) };`,
    `function A() {\n  const row = () => (${lines}); return row();\n}`,
  ])
    assert.deepEqual(
      listComponents("a.tsx", text).map((component) => [component.name, component.lines]),
      [["A", 4]],
      text,
    );
  assert.deepEqual(listComponents("a.tsx", "function useA() {\n  return 1 < 2;\n}"), []);
});

test("a package's index holds exports and nothing else", () => {
  for (const { path, text } of sources.filter((file) => /^packages\/[^/]+\/src\/index\.ts$/.test(file.path))) {
    const rest = text
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "")
      .replace(/export\s+(type\s+)?(\{[^}]*\}|\*( as \w+)?)\s+from\s+"[^"]+";/g, "");
    assert.equal(rest.trim(), "", path);
  }
});

interface QuadraticShape {
  readonly pattern: RegExp;
  /** Code that it finds, and that took seconds for what a stranger may send. */
  readonly sample: string;
  /** Where it may stand, and what bounds it there. */
  readonly allowed: Readonly<Record<string, string>>;
}

/**
 * Shapes that copy all there is for each piece that comes, or that take as many arguments as there are pieces. Those that a
 * text search finds without many false hits: `includes` of a list in a loop is not one of them, and is left to
 * `npm run bench -- worst-cases`.
 */
const quadraticShapes: Readonly<Record<string, QuadraticShape>> = {
  "a list, set, map or object that is copied to add one more": {
    pattern:
      /\b([\w.]+) = (?:new (?:Map|Set)\()?[[{]\s*\.\.\.\1\b|\b([\w.]+) = \2\.concat\(|\[[^[\]\n]+, [^[\]\n]+\]\.flat\(\)/,
    sample: "fields[name] = [before, value].flat();",
    allowed: { "packages/server/src/mail/form-emails.ts": "an object of a few members, four times" },
  },
  "a state that is copied to add one more": {
    pattern: /\((\w+)\) =>[^;\n]{0,60} new (?:Map|Set)\(\[\.\.\.\1\b/,
    sample: "setOpened((before) => new Map([...before, ...some]))",
    allowed: {
      "packages/dashboard/src/readers/remove-envelope.tsx": "once for the key files that a person chooses",
      "packages/dashboard/src/readers/rotate-forms.tsx":
        "once for each form whose keys are rotated, which takes a second",
      "packages/dashboard/src/readers/take-out.tsx": "once for each run of a sweep that a person begins",
      "packages/dashboard/src/form/seen-mark.ts": "once for a submission that a person opens",
      "packages/dashboard/src/submissions/use-bin-moves.ts": "once for a deletion by a person",
      "packages/dashboard/src/submissions/use-opened.ts": "the bin, which a person lists page by page",
    },
  },
  "a reduction that copies what it has so far": {
    pattern: /\.reduce(?:Right)?\(\s*\((\w+)[^)]*\) =>[^;]{0,200}?(?:[[{]\s*\.\.\.\1\b|\b\1\.(?:concat|slice|with)\()/,
    sample: "found.reduceRight((rest, hit) => rest.slice(0, hit.start) + hit.token + rest.slice(hit.end), text)",
    allowed: {},
  },
  "taking from or adding to the front of a list": {
    pattern: /\.(?:shift|unshift)\(/,
    sample: "for (let next = open.shift(); next; next = open.shift()) visit(next);",
    allowed: {
      "packages/pii/src/phone-number.ts": "four variants at most",
      "packages/cli/src/map-in-order.ts": "as many as run at a time",
      "packages/cli/src/usage-command.ts": "once",
    },
  },
  "a beginning that is cut again for each piece": {
    pattern: /for \(let (\w+) = [^;]*\.length[^;]*; \1 >=? [01]; (?:\1--|--\1)\)[^}]{0,120}?\.slice\(0, \1\)/,
    sample: "for (let length = parts.length; length > 0; length--) find(parts.slice(0, length).join())",
    allowed: { "packages/texts/src/choose-language.ts": "a tag of 35 characters at most" },
  },
  "as many arguments as there are pieces": {
    pattern: /(?:Math\.(?:max|min)|fromCharCode|fromCodePoint)\((?:[^()\n]*, )?\.\.\.|Reflect\.apply\(String\./,
    sample: "Math.max(...rows.map(({ length }) => length))",
    allowed: {
      "packages/dashboard/src/statistics/chart.tsx": "days of a period",
      "packages/sdk/src/paper-key.ts": "a constant",
      "packages/server/src/http/errors.ts": "methods of HTTP",
      "packages/server/src/mail/mail.ts": "a constant",
      "packages/server/src/webhooks/webhook-store.ts": "`secretsMax` of them",
      "packages/wire/src/base64.ts": "slices of 8,192 bytes",
    },
  },
};

for (const [name, { pattern, sample, allowed: places }] of Object.entries(quadraticShapes)) {
  test(`nothing that strangers can make long goes through ${name}`, () => {
    assert.match(sample, pattern, "it finds what it is for");
    const found = sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
    // Both ways: a place that is gone leaves the list as well.
    assert.deepEqual(found.toSorted(), Object.keys(places).toSorted());
  });
}

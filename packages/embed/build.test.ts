import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { languages } from "@sealpost/texts";
import * as embed from "@sealpost/texts/embed";
import { getCountries, getExampleNumber, isValidPhoneNumber } from "libphonenumber-js/core";
import examples from "libphonenumber-js/examples.mobile.json";
import metadata from "libphonenumber-js/metadata.min.json";
import { buildEmbed, type Manifest, type Script, trimPhoneMetadata } from "./build.ts";
import { checkBundles, checkScript, checkStyle } from "./bundle.check.ts";

const folders: string[] = [];
let manifests: Manifest[];

before(async () => {
  for (let index = 0; index < 2; index++) folders.push(await mkdtemp(join(tmpdir(), "sealpost-build-")));
  manifests = await Promise.all(folders.map((folder) => buildEmbed(folder)));
});
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

test("without its patterns for formatting, libphonenumber calls the same numbers valid in every country", () => {
  const trimmed = trimPhoneMetadata(metadata);
  const numbers = [
    "+442079460958",
    "02079460958",
    "2125552368",
    "0612345678",
    "612345678",
    "22345678",
    "13812345678",
    "98765432100",
  ];
  const countries = getCountries(metadata);
  for (const country of countries) {
    const own = [...numbers, getExampleNumber(country, examples, metadata)?.nationalNumber ?? ""];
    for (const number of own)
      assert.equal(isValidPhoneNumber(number, country, trimmed), isValidPhoneNumber(number, country, metadata), number);
  }
  assert.ok(countries.length > 200);
  assert.ok(JSON.stringify(trimmed).length < 0.6 * JSON.stringify(metadata).length);
});

test("two builds give the same files, byte for byte", async () => {
  const contents = await Promise.all(
    folders.map(async (folder) => {
      const files = (await readdir(folder)).sort();
      return Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), "latin1")]));
    }),
  );
  assert.ok((contents[0]?.length ?? 0) >= 2);
  assert.deepEqual(contents[0], contents[1]);
});

test("the manifest names each file by its version and hash, with the integrity of the bytes on disk", async () => {
  const [folder = ""] = folders;
  const [manifest] = manifests;
  assert.deepEqual(JSON.parse(await readFile(join(folder, "manifest.json"), "utf8")), manifest);
  const { scripts = {}, styles = {} } = manifest ?? {};
  const kinds: readonly (readonly [string, Readonly<Record<string, Script>>])[] = [
    ["js", scripts],
    ["css", styles],
  ];
  const named = kinds.flatMap(([kind, files]) =>
    Object.entries(files).map(([name, { file, integrity }]) => ({ kind, name, file, integrity })),
  );
  assert.ok(named.length >= 2);
  for (const { kind, name, file, integrity } of named) {
    const bytes = await readFile(join(folder, file));
    const algorithm = /^sealpost(-key-log)?$/.test(name) ? "sha384" : "sha256";
    const hash = createHash("sha256").update(bytes).digest("hex");
    const digits = algorithm === "sha256" ? 8 : 16;
    assert.equal(file, `${name}-${manifest?.version}-${hash.slice(0, digits)}.${kind}`);
    assert.equal(integrity, `${algorithm}-${createHash(algorithm).update(bytes).digest("base64")}`);
  }
});

test("the first script has the integrity of the second ones compiled in, and so has that of pages with a key log", async () => {
  const { scripts } = manifests[0] as Manifest; // built before the tests
  for (const { file } of [scripts.sealpost, scripts["sealpost-key-log"]]) {
    const text = await readFile(join(folders[0] ?? "", file), "utf8");
    for (const second of [scripts["sealpost-hybrid"], scripts["sealpost-pii"]]) {
      assert.ok(second !== undefined);
      assert.ok(text.includes(second.file) && text.includes(second.integrity));
    }
  }
});

test("pages without a key log load nothing of what verifies one", async () => {
  const { scripts } = manifests[0] as Manifest; // built before the tests
  const read = ({ file }: Script) => readFile(join(folders[0] ?? "", file), "utf8");
  const words = /key.?log|Ed25519/i;
  assert.doesNotMatch(await read(scripts.sealpost), words);
  assert.match(await read(scripts["sealpost-key-log"]), words);
});

test("of the catalogue the scripts have nothing but the embed's own part", async () => {
  const parts = await Promise.all(Object.values(languages[0].load).map((load) => load()));
  // Shorter ones may be anybody's: "Must be an object" is also in libraries.
  const others = textsOf(parts).filter((text) => text.length > 30 && !textsOf(embed).some((own) => own.includes(text)));
  assert.ok(others.length > 100, `${others.length}`);
  for (const { file } of Object.values(manifests[0]?.scripts ?? {})) {
    const script = await readFile(join(folders[0] ?? "", file), "utf8");
    assert.deepEqual(
      others.filter((text) => script.includes(text)),
      [],
      file,
    );
  }
});

function textsOf(part: unknown): readonly string[] {
  if (typeof part === "string") return [part];
  return typeof part === "object" && part !== null ? Object.values(part).flatMap(textsOf) : [];
}

test("the bundles keep to their sizes, and hold nothing that they must not", async () => {
  const sizes = await checkBundles();
  assert.equal(sizes.length, 5);
});

test("the check of the bundles is a program that says the sizes, and fails when it cannot", async () => {
  const check = fileURLToPath(new URL("bundle.check.ts", import.meta.url));
  const run = (environment: NodeJS.ProcessEnv) =>
    spawnSync(process.execPath, ["--conditions=@sealpost/source", check], {
      encoding: "utf8",
      env: { ...process.env, ...environment },
    });
  const good = run({});
  assert.equal(good.status, 0, good.stderr);
  assert.match(good.stdout, /^sealpost-[\d.]+-\w+\.js: \d+ bytes/);
  const bad = run({ TMPDIR: "/nowhere", TEMP: "/nowhere", TMP: "/nowhere" });
  assert.equal(bad.status, 1);
  assert.match(bad.stderr, /nowhere/);
});

test("the licences of all third-party code in the second scripts are in their folder, and they say where; the script of key logs has none of it", async () => {
  const [folder = ""] = folders;
  const { scripts } = manifests[0] as Manifest; // built before the tests
  const notices = await readFile(join(folder, "THIRD_PARTY_NOTICES.txt"), "utf8");
  for (const name of ["libphonenumber-js", "@noble/hashes", "@noble/curves", "@noble/post-quantum"])
    assert.match(notices, new RegExp(`^${name} \\d.*MIT`, "m"));
  assert.equal(notices.match(/Permission is hereby granted/g)?.length, notices.match(/^={80}\n\S/gm)?.length);
  for (const second of [scripts["sealpost-hybrid"], scripts["sealpost-pii"]]) {
    const [firstLine] = (await readFile(join(folder, second?.file ?? ""), "utf8")).split("\n");
    assert.match(firstLine ?? "", /THIRD_PARTY_NOTICES\.txt/);
  }
  assert.doesNotMatch(await readFile(join(folder, scripts["sealpost-key-log"].file), "utf8"), /NOTICES|noble/i);
});

test("the bundle check objects to what it is there for", () => {
  const words = [
    "decrypt",
    "could_not_be_opened",
    "privateKey",
    "eval(x)",
    "new Function()",
    "http://x",
    "https://x",
    "stripPii",
    "decapsulate",
    "raw-seed",
    "shake256",
  ];
  for (const word of words) assert.throws(() => checkScript("x.js", `var a="";${word}`), /x\.js contains/, word);
  const noise = Array.from({ length: 3_000 }, (_, index) =>
    createHash("sha1").update(`${index}`).digest("base64"),
  ).join();
  assert.throws(() => checkScript("x.js", noise.replaceAll(/eval/gi, "")), /bytes after gzip/);
  checkScript("x.js", "var a=1;");
  const ours = ".sealpost-form{color:red}";
  for (const style of [
    "label{color:red}",
    "@media print{p{color:red}}",
    `${ours}:root{--a:1}`,
    '.sealpost-form{background:url("x")}',
  ])
    assert.throws(() => checkStyle("x.css", style), /x\.css (contains|has a rule)/, style);
  checkStyle("x.css", `${ours}@media print{${ours}}`);
});

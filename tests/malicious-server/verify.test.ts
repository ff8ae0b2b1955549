import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { fingerprint, hybridFingerprint } from "@sealpost/wire";
import { type CommandLine, createCommandLine } from "../../packages/cli/src/testing/run-command-line.ts";
import { formatChecksums, hashBytes, parseChecksums } from "../../packages/cli/src/verify/served-list.ts";
import { isOlder } from "../../packages/cli/src/verify/version-order.ts";
import {
  createTestService,
  type TestAccount,
  type TestService,
} from "../../packages/server/src/testing/test-service.ts";
import { createServedList } from "../../scripts/release/served-list.ts";
import { firstHybridPair, secondHybridPair } from "../support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { isWhole, sampleEvery, sampleKinds } from "../support/sample.ts";
import { type AlteringProxy, changeOneByte, startAlteringProxy } from "./altering-proxy.ts";
import { writeRelease } from "./played-release.ts";

// `sealpost verify` and a real service, with a server in between that changes what it gives to some.

const pair = takeKeyPair();
const other = takeKeyPair();
const signer = createSigner();
const stranger = createSigner();
const closers: (() => unknown)[] = [];
let service: TestService;
let account: TestAccount;
let proxy: AlteringProxy;
let commandLine: CommandLine;
let rsaForm: string;
let hybridForm: string;
let rsa: string;
let hybrid: string;
/** Everything that is served; and of each kind some, which takes a tenth of the requests. */
let everything: ReadonlyMap<string, string>;
let some: ReadonlyMap<string, string>;
let embed: string;

function createSigner() {
  return generateKeyPairSync("ed25519", {
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}

async function createForm(body: object): Promise<string> {
  const created = await account.request("POST", "/api/forms", { publicKey: pair.publicKey, ...body });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  return created.body.form.id;
}

before(async () => {
  const scope = { after: (close: () => unknown) => void closers.unshift(close) };
  service = await createTestService(scope as Parameters<typeof createTestService>[0]);
  account = await service.signUp();
  proxy = await startAlteringProxy(scope, service.url);
  commandLine = createCommandLine(scope as Parameters<typeof createCommandLine>[0]);
  rsaForm = await createForm({ name: "Contact" });
  hybridForm = await createForm({ name: "Orders", hybridPublicKey: firstHybridPair.publicKey });
  [rsa, hybrid] = [await fingerprint(pair.publicKey), await hybridFingerprint(firstHybridPair.publicKey)];
  everything = parseChecksums(createServedList()) ?? new Map();
  const kinds = [
    /^\/$/,
    /^\/forms\/any(\/keys)?$/,
    /^\/assets\/index-/,
    /^\/embed\/sealpost-\d.*js$/,
    /^\/embed\/sealpost.js$/,
    /worker/,
    /opener.html/,
    /^\/docs$/,
    /^\/docs\/assets\/search-\w+.js$/,
  ];
  some = new Map([...everything].filter(([path]) => kinds.some((kind) => kind.test(path))));
  embed = [...everything.keys()].find((path) => /^\/embed\/sealpost-\d.*js$/.test(path)) ?? "";
  // `npm test` asks for some of the files, and `npm run test:cases` for all.
  writeRelease(commandLine.folder, "whole", isWhole ? everything : some, { privateKey: signer.privateKey });
  writeRelease(commandLine.folder, "some", some);
  const pages = ["/", "/docs", "/sealpost-opener.html", embed];
  writeRelease(commandLine.folder, "pages", new Map([...some].filter(([path]) => pages.includes(path))));
  writeRelease(commandLine.folder, "few", new Map([...some].filter(([path]) => path.startsWith("/embed/"))));
  writeFileSync(join(commandLine.folder, "signer.pem"), signer.publicKey);
  writeFileSync(join(commandLine.folder, "stranger.pem"), stranger.publicKey);
});
beforeEach(() => {
  proxy.alter = () => undefined;
});
after(async () => {
  for (const close of closers) await close();
});

const inFolder = (name: string) => join(commandLine.folder, name);
const verify = (...more: string[]) => commandLine.run(["verify", proxy.url, "--release", inFolder("some"), ...more]);
/** For what is about one page, or one script. */
const verifyPages = () => commandLine.run(["verify", proxy.url, "--release", inFolder("pages")]);
/** For what is not about files. */
const verifyFew = (...more: string[]) => commandLine.run(["verify", proxy.url, "--release", inFolder("few"), ...more]);
const isSafari = (headers: { "user-agent"?: string | undefined }) => /iPhone/.test(headers["user-agent"] ?? "");

test("what an honest instance serves is what was released and signed, for every browser, and nothing is asked with a credential", async () => {
  const credentials: unknown[] = [];
  const agents = new Set<unknown>();
  const asked = new Set<string>();
  proxy.alter = ({ path, headers }) => {
    credentials.push(...[headers.authorization, headers.cookie].filter(Boolean));
    agents.add(headers["user-agent"]);
    asked.add(path);
    return undefined;
  };
  const { code, output, errors } = await commandLine.run(
    [
      "verify",
      proxy.url,
      "--release",
      inFolder("whole"),
      "--signer",
      inFolder("signer.pem"),
      "--user-agent",
      "My own/1",
    ],
    { environment: { SEALPOST_TOKEN: "sp_token", SEALPOST_URL: proxy.url } },
  );
  assert.deepEqual([code, errors], [0, ""]);
  assert.match(output, /Sealpost 9\.8\.7, signed with the key that you gave/);
  assert.match(output, /everything is as it should be/);
  assert.deepEqual([credentials, agents.size], [[], 6]);
  assert.deepEqual([...asked].sort(), [...(isWhole ? everything : some).keys()].sort());
  assert.ok(everything.size > 100 && some.size > 6);
});

test("one altered byte for one browser is found, in whatever is served", async () => {
  for (const altered of sampleEvery([...some.keys()], 3)) {
    proxy.alter = ({ path, headers }, { body }) =>
      path === altered && isSafari(headers) ? { body: changeOneByte(body) } : undefined;
    const { code, errors } = await verify();
    assert.equal(code, 9, altered);
    assert.ok(errors.includes(`DIFFERS  ${altered}: is not that of Sealpost 9.8.7 (as Safari on an iPhone)`), errors);
    assert.equal(errors.match(/DIFFERS/g)?.length, 1);
    assert.match(errors, /sealpost-opener\.html/);
  }
});

test("one altered byte is found by language, by compression, for pages of other sites alone, and for a browser that was named", async () => {
  const lies: readonly [who: string, isMeant: (headers: Record<string, unknown>) => boolean][] = [
    ["Firefox on Linux", (headers) => /^de/.test(String(headers["accept-language"]))],
    ["a program", (headers) => headers["accept-encoding"] === "identity"],
    ["Special/7", (headers) => headers["user-agent"] === "Special/7"],
  ];
  for (const [who, isMeant] of lies) {
    proxy.alter = ({ path, headers }, { body }) =>
      path === embed && isMeant(headers) ? { body: changeOneByte(body) } : undefined;
    const { code, errors } = await verify("--user-agent", "Special/7");
    assert.equal(code, 9, who);
    assert.ok(errors.includes(`(as ${who})`), errors);
  }
  proxy.alter = ({ path, headers }, { body }) =>
    path === embed && headers.origin !== undefined ? { body: changeOneByte(body) } : undefined;
  assert.match((await verify()).errors, /DIFFERS {2}\/embed\/sealpost-\S+: is not that of Sealpost 9\.8\.7\n/);
});

test("an answer counts by its bytes, in whichever encoding it is sent", async () => {
  const encodings = { br: brotliCompressSync, gzip: gzipSync, deflate: deflateSync, zstd: zstdCompressSync };
  for (const [name, compress] of Object.entries(encodings))
    for (const change of [(body: Buffer) => body, changeOneByte]) {
      let sent = 0;
      proxy.alter = ({ path, headers }, { headers: given, body }) => {
        if (path !== embed || !headers["accept-encoding"]?.toString().split(", ").includes(name)) return undefined;
        sent += 1;
        return { headers: { ...given, "content-encoding": name }, body: compress(change(body)) };
      };
      assert.equal((await verifyFew()).code, change === changeOneByte ? 9 : 0, name);
      assert.ok(sent > 0, name);
    }
});

test("a page with another script is named with that script; one with a laxer policy, or none, is found", async () => {
  const change = (altered: object | ((body: string) => string)) => {
    proxy.alter = ({ path }, { headers, body }) => {
      if (path !== "/") return undefined;
      if (typeof altered === "function") return { body: Buffer.from(altered(body.toString())) };
      return { headers: { ...headers, ...altered } };
    };
  };
  change((page) => page.replace("</head>", '<script src="/assets/more.js"></script></head>'));
  assert.match(
    (await verify()).errors,
    /\/: is not that of Sealpost 9\.8\.7; it has \/assets\/more\.js, which the release has not/,
  );
  const policies: readonly [policy: string | undefined, message: RegExp][] = [
    [undefined, /comes without a Content-Security-Policy/],
    [
      "default-src 'none'; script-src 'self' 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      /script-src allows 'unsafe-inline'/,
    ],
    [
      "default-src 'none'; connect-src 'self' https://evil.example; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      /connect-src allows https:\/\/evil/,
    ],
    [
      "default-src 'none'; form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'",
      /without frame-ancestors/,
    ],
  ];
  for (const [policy, message] of policies) {
    change({ "content-security-policy": policy });
    const { code, errors } = await verifyPages();
    assert.equal(code, 9);
    assert.match(errors, message);
  }
});

test("headers that load, lead or allow something, another charset and a missing protection are found; what proxies add is not", async () => {
  const strict =
    "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";
  const change = (changed: string, altered: Record<string, string | string[] | undefined>) => {
    proxy.alter = ({ path, headers }, honest) =>
      path === changed && isSafari(headers) ? { headers: { ...honest.headers, ...altered } } : undefined;
  };
  const changes: readonly [path: string, headers: Record<string, string | string[] | undefined>, message: RegExp][] = [
    ["/", { link: "</assets/evil.css>; rel=stylesheet" }, /has a header link, .*evil\.css/],
    ["/docs", { refresh: "0; url=https://evil.example/" }, /has a header refresh/],
    [embed, { "use-as-dictionary": 'match="/*"' }, /has a header use-as-dictionary/],
    ["/", { "speculation-rules": '"/evil.json"' }, /has a header speculation-rules/],
    [embed, { "service-worker-allowed": "/" }, /has a header service-worker-allowed/],
    ["/", { "set-cookie": ["a=1"] }, /has a header set-cookie/],
    ["/", { "content-disposition": "attachment; filename=evil.html" }, /has a header content-disposition/],
    ["/sealpost-opener.html", { "content-disposition": "inline" }, /has a header content-disposition/],
    [embed, { "content-type": "text/javascript; charset=utf-16le" }, /has the Content-Type .*utf-16le/],
    ["/", { "content-type": "text/html; charset=iso-2022-jp" }, /has the Content-Type .*iso-2022-jp/],
    ["/", { "content-type": undefined }, /has the Content-Type none/],
    [
      embed,
      { "content-type": ["text/javascript; charset=utf-8", "text/javascript; charset=utf-16le"] },
      /Content-Type/,
    ],
    [embed, { "x-content-type-options": undefined }, /without X-Content-Type-Options/],
    ["/docs", { "cross-origin-opener-policy": undefined }, /without Cross-Origin-Opener-Policy/],
    ...["child-src *", "font-src *", "trusted-types *", "img-src *", "media-src *", "unknown-src 'self'"].map(
      (lax): [string, Record<string, string>, RegExp] => [
        "/",
        { "content-security-policy": `${strict}; ${lax}` },
        new RegExp(`whose ${lax.split(" ")[0]} allows`),
      ],
    ),
  ];
  for (const [path, headers, message] of sampleKinds(changes, ([, , { source }]) => source.split(" ", 2).join(" "))) {
    change(path, headers);
    const { code, errors } = await verifyPages();
    assert.deepEqual([code, errors.match(/DIFFERS/g)?.length], [9, 1], `${JSON.stringify(headers)} ${errors}`);
    assert.match(errors, message);
    assert.ok(errors.includes(`DIFFERS  ${path}: `), errors);
  }
  const added = {
    via: "1.1 caddy",
    server: "nginx",
    "alt-svc": 'h3=":443"',
    vary: "Accept-Encoding, Origin",
    age: "1",
  };
  proxy.alter = (_asked, { headers }) => ({
    headers: { ...headers, ...added, "x-content-type-options": "nosniff, nosniff", "x-frame-options": "DENY" },
  });
  assert.equal((await verify()).code, 0);
  proxy.alter = (_asked, { headers }) => ({ headers: { ...headers, "set-cookie": "balancer=1" } });
  const everywhere = await verify();
  assert.deepEqual([everywhere.code, everywhere.errors.match(/DIFFERS/g)?.length], [9, 1], everywhere.errors);
  assert.match(everywhere.errors, /the instance: has a header set-cookie, .* \(\d+ files\)/);
});

test("the four settings that a page of the dashboard says may differ between instances, and nothing else in them", async () => {
  const set = (value: string) => {
    proxy.alter = ({ path }, { body }) =>
      path === "/"
        ? { body: Buffer.from(body.toString().replace(/(name="sealpost-mail" content=)"\w+"/, `$1${value}`)) }
        : undefined;
  };
  set('"on"');
  assert.equal((await verifyPages()).code, 0);
  for (const value of ['"on" onload="x"', '"on"><script>1</script><i "', '"<b>"']) {
    set(value);
    assert.equal((await verifyPages()).code, 9, value);
  }
});

test("an answer without end, a redirect, a missing file and a server that is away have one outcome each", async () => {
  const at = (path: string, answer: object) => {
    proxy.alter = (asked) => (asked.path === path ? answer : undefined);
  };
  at(embed, { body: Buffer.alloc(9 << 20) });
  let ended = await verifyPages();
  assert.deepEqual([ended.code, /is larger than anything of a release/.test(ended.errors)], [9, true]);
  at("/", { status: 302, headers: { location: "https://elsewhere.example/" } });
  ended = await verifyPages();
  assert.deepEqual([ended.code, /leads to https:\/\/elsewhere\.example\//.test(ended.errors)], [9, true]);
  at(embed, { status: 404 });
  ended = await verifyPages();
  assert.deepEqual([ended.code, /is not served/.test(ended.errors)], [9, true]);
  at(embed, { status: 503 });
  ended = await verifyPages();
  assert.deepEqual([ended.code, /UNKNOWN {2}\/embed\/\S+: was answered with 503/.test(ended.errors)], [6, true]);
  at(embed, { headers: { "content-encoding": "gzip" } });
  assert.equal((await verifyPages()).code, 6);
  const nobody = await commandLine.run(["verify", "http://localhost:9", "--release", inFolder("some")]);
  assert.deepEqual([nobody.code, /could not be fetched/.test(nobody.errors)], [6, true]);
});

test("an instance of another version is called so, and one that is an older release for some is found although both are known", async () => {
  const older = new Map([...some].map(([path, hash]) => [path, path === embed ? "0".repeat(64) : hash]));
  writeRelease(commandLine.folder, "older", older, { version: "9.8.6" });
  const both = await verify("--release", inFolder("older"));
  assert.deepEqual([both.code, /Sealpost 9\.8\.7, unsigned build/.test(both.output)], [0, true]);
  const bytes = Buffer.from("an older script");
  writeRelease(commandLine.folder, "older for some", new Map([...some, [embed, hashBytes(bytes)]]), {
    version: "9.8.5",
  });
  proxy.alter = ({ path, headers }) => (path === embed && isSafari(headers) ? { body: bytes } : undefined);
  assert.equal((await verify("--release", inFolder("older for some"))).code, 9);
  proxy.alter = () => undefined;
  writeRelease(commandLine.folder, "foreign", new Map([...some.keys()].map((path) => [path, "1".repeat(64)])));
  const foreign = await commandLine.run(["verify", proxy.url, "--release", inFolder("foreign")]);
  assert.equal(foreign.code, 9);
  assert.match(
    foreign.errors,
    /the instance: \d+ of \d+ files differ from those of Sealpost 9\.8\.7\. If the instance runs another version/,
  );
});

test("with --at-least an older release does not count, signed or not", async () => {
  const order = [
    "0.2.0-1",
    "0.2.0-2",
    "0.2.0-10",
    "0.2.0-beta",
    "0.2.0-beta.1",
    "0.2.0-rc",
    "0.2.0",
    "0.2.1",
    "0.10.0",
    "1.0.0",
  ];
  for (const [index, one] of order.entries())
    for (const [place, other] of order.entries()) assert.equal(isOlder(one, other), index < place, `${one} ${other}`);
  const atLeast = (oldest: string) => verifyFew("--at-least", oldest);
  for (const same of ["9.8.7", "9.8.7-rc.1", "9.7.10", "9.8.7+build"])
    assert.equal((await atLeast(same)).code, 0, same);
  for (const newer of ["9.8.8", "9.8.10-rc.1", "9.10.0", "10.0.0"]) {
    const { code, errors } = await atLeast(newer);
    assert.equal(code, 9, newer);
    assert.ok(errors.includes(`the instance: is compared with Sealpost 9.8.7, older than ${newer}`), errors);
  }
  for (const wrong of ["9", "9.8", "new", ""]) assert.equal((await atLeast(wrong)).code, 2, wrong);
});

test("a release counts as signed only by the key that was given; unsigned ones say so; lists that were changed are refused", async () => {
  const run = (...parameters: string[]) => commandLine.run(["verify", proxy.url, ...parameters]);
  writeRelease(commandLine.folder, "signed", some, { privateKey: signer.privateKey });
  const ends = async (code: number, message: RegExp, ...parameters: string[]) => {
    const ended = await run(...parameters);
    assert.equal(ended.code, code, ended.errors);
    assert.match(ended.output + ended.errors, message);
  };
  const signerFile = ["--signer", inFolder("signer.pem")];
  await ends(0, /signed with the key/, "--release", inFolder("signed"), ...signerFile);
  await ends(0, /signed with the key/, "--release", inFolder("signed/SHA256SUMS"), ...signerFile);
  await ends(0, /unsigned build: nobody has signed/, "--release", inFolder("some"));
  await ends(9, /unsigned build: nobody has signed/, "--release", inFolder("some"), ...signerFile);
  await ends(2, /is signed: name the publisher's public key/, "--release", inFolder("signed"));
  await ends(9, /another key/, "--release", inFolder("signed"), "--signer", inFolder("stranger.pem"));
  await ends(
    2,
    /not an Ed25519 public key/,
    "--release",
    inFolder("signed"),
    "--signer",
    inFolder("signed/SHA256SUMS"),
  );
  await ends(2, /there is no SHA256SUMS/, "--release", inFolder("nowhere"));
  await ends(2, /not from a release/);
  await ends(2, /name that with --release/, ...signerFile);
  const changed = writeRelease(commandLine.folder, "changed", some, { privateKey: signer.privateKey });
  writeFileSync(join(changed, "sealpost-9.8.7-served.txt"), formatChecksums([["/", "0".repeat(64)]]));
  await ends(9, /missing, or is not the one/, "--release", changed, ...signerFile);
});

test("a release is read from an address as well, and a damaged or missing one stops the check", async (t) => {
  const files = new Map<string, string>();
  const server = createServer((request, response) => {
    const moved = /^\/moved\/(.*)$/.exec(request.url ?? "")?.[1];
    if (moved !== undefined)
      return void response.writeHead(302, { location: moved === "SHA256SUMS.sig" ? "/v9/none" : `/v9/${moved}` }).end();
    const file = files.get(request.url ?? "");
    response.writeHead(file === undefined ? 404 : 200).end(file);
  }).listen(0, "127.0.0.1");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const address = `http://localhost:${(server.address() as AddressInfo).port}/v9`;
  const list = formatChecksums(some);
  files.set("/v9/sealpost-9.8.7-served.txt", list);
  files.set("/v9/SHA256SUMS", formatChecksums([["sealpost-9.8.7-served.txt", hashBytes(Buffer.from(list))]]));
  const run = (place: string) => commandLine.run(["verify", proxy.url, "--release", place]);
  for (const place of [address, `${address}/`, `${address}/SHA256SUMS`, address.replace("v9", "moved")])
    assert.equal((await run(place)).code, 0, place);
  assert.equal((await run(`${address}/x`)).code, 2);
  assert.equal((await run("http://www.example.org/v9")).code, 2, "not encrypted");
  assert.equal((await run("http://localhost:9/v9")).code, 6);
});

test("a form's keys must be the pinned ones: a swapped key and an added hybrid key are found, for one browser too", async () => {
  const form = (id: string, ...pins: string[]) => ["--form", `${id}=${pins.join(",")}`];
  assert.equal((await verifyFew(...form(rsaForm, rsa), ...form(hybridForm, rsa, hybrid))).code, 0);
  proxy.alter = ({ path, headers }, { body }) =>
    [`/forms/${rsaForm}`, `/forms/${rsaForm}/keys`].includes(path) && isSafari(headers)
      ? { body: changeOneByte(body) }
      : undefined;
  const looked = await verify(...form(rsaForm, rsa));
  for (const path of [`/forms/${rsaForm}`, `/forms/${rsaForm}/keys`])
    assert.ok(looked.errors.includes(`DIFFERS  ${path}: is not that of`), path);
  const swap = (change: (form: Record<string, unknown>) => object) => {
    proxy.alter = ({ path, headers }, { body }) => {
      if (!path.endsWith("/public") || !isSafari(headers)) return undefined;
      const said = JSON.parse(body.toString());
      return { body: Buffer.from(JSON.stringify({ form: { ...said.form, ...change(said.form) } })) };
    };
  };
  const foreign = await fingerprint(other.publicKey);
  swap(() => ({ publicKey: other.publicKey, keyFingerprint: foreign }));
  let { code, errors } = await verifyFew(...form(rsaForm, rsa));
  assert.equal(code, 9);
  assert.ok(errors.includes(`${rsaForm}: the key ${foreign} is not one of yours`), errors);
  assert.match(errors, /\(as Safari on an iPhone\)/);
  swap(() => ({ publicKey: other.publicKey }));
  assert.match((await verifyFew(...form(rsaForm, rsa))).errors, /not one that pages take/);
  const foreignHybrid = await hybridFingerprint(secondHybridPair.publicKey);
  swap(() => ({ hybridPublicKey: secondHybridPair.publicKey, hybridKeyFingerprint: foreignHybrid }));
  for (const [id, pins] of [
    [rsaForm, [rsa]],
    [hybridForm, [rsa, hybrid]],
  ] as const) {
    ({ code, errors } = await verifyFew(...form(id, ...pins)));
    assert.equal(code, 9);
    assert.ok(errors.includes(`the hybrid key ${foreignHybrid} is not one of yours`), errors);
  }
  proxy.alter = () => undefined;
  assert.match((await verifyFew(...form(hybridForm, hybrid))).errors, /the key \S+ is not one of yours/);
  assert.match((await verifyFew(...form("form_01hk153x00e5rbcwg8rxcnh8w4", rsa))).errors, /its key is not served/);
  for (const wrong of ["form_1=x", rsaForm, `${rsaForm}=short`, `${rsaForm}=${rsa},`])
    assert.equal((await verifyFew("--form", wrong)).code, 2, wrong);
});

test("a page's snippet must load the released script with integrity and pin your key", async () => {
  const { body } = await account.request("GET", `/api/forms/${rsaForm}`);
  const tag = body.form.embedCode
    .split("\n")[0]
    .replaceAll(service.url, proxy.url)
    .replace(/ data-sealpost="[^"]*"/, "");
  const pinned = `${tag}\n<script>Sealpost.init("${rsaForm}", { "keyFingerprint": "${rsa}" });</script>`;
  let page = "";
  proxy.alter = ({ path }) =>
    path === "/contact"
      ? { status: 200, headers: {}, body: Buffer.from(`<!doctype html><p>it's</p>${page}`) }
      : undefined;
  const check = async (html: string) => {
    page = html;
    return verifyFew("--page", `${proxy.url}/contact`, "--form", `${rsaForm}=${rsa}`);
  };
  const attributes = `${tag.replace("></script>", "")} data-sealpost="${rsaForm}" data-sealpost-options="{&quot;keyFingerprint&quot;:[&quot;${rsa}&quot;]}"></script>`;
  for (const good of [pinned, attributes, `<!-- ${tag.replace("sha384", "x")} -->${pinned}`]) {
    const { code, errors } = await check(good);
    assert.equal(code, 0, errors);
  }
  const foreign = await fingerprint(other.publicKey);
  const lies: readonly [html: string, message: RegExp][] = [
    ["<p>nothing</p>", /has no snippet of Sealpost/],
    [pinned.replace(/ integrity="[^"]+"/, ""), /without integrity/],
    [pinned.replace(/sha384-..../, "sha384-AAAA"), /does not fit its integrity/],
    [pinned.replace(/integrity="/, `integrity="sha512-${"A".repeat(86)}== `), /integrity with something else in it/],
    [pinned.replace(/, \{.*\}/, ""), /pins no key/],
    [pinned.replace(rsa, foreign), new RegExp(`pins ${foreign} for ${rsaForm}, which is not one of yours`)],
    [pinned.replace(rsa, foreign), /none of the keys that are offered is pinned/],
    [pinned.replace(/\{.*\}/, "{ encryption: false }"), /unsealed/],
    [pinned.replace("{ ", '{ endpoint: "https://evil.example", '), /to https:\/\/evil\.example, not to/],
    [`${pinned}<script src="/other/sealpost.js"></script>`, /sealpost\.js is not served/],
  ];
  // In `npm test` one of each kind of finding.
  for (const [html, message] of sampleKinds(lies, ([, { source }]) => source)) {
    const { code, errors } = await check(html);
    assert.equal(code, 9, html);
    assert.match(errors, message);
  }
  const script = Buffer.from("an old or foreign script");
  const { createHash } = await import("node:crypto");
  const integrity = `sha384-${createHash("sha384").update(script).digest("base64")}`;
  page = pinned.replace(/src="[^"]+" integrity="[^"]+"/, `src="${proxy.url}/sealpost.js" integrity="${integrity}"`);
  const serve = proxy.alter;
  proxy.alter = (asked, honest) =>
    asked.path === "/sealpost.js" ? { status: 200, headers: {}, body: script } : serve(asked, honest);
  const ended = await check(page);
  assert.deepEqual([ended.code, /is in none of the releases/.test(ended.errors)], [9, true]);
  proxy.alter = ({ path }) => (path === "/contact" ? { status: 302, headers: { location: "/contact" } } : undefined);
  assert.match((await verifyFew("--page", `${proxy.url}/contact`)).errors, /leads to \/contact/);
});

/** All that browsers run (WHATWG MIME Sniffing, section 4.6). */
const javaScriptTypes = [
  ...["application/ecmascript", "application/javascript", "application/x-ecmascript", "application/x-javascript"],
  ...[
    "text/ecmascript",
    "text/javascript",
    "text/jscript",
    "text/livescript",
    "text/x-ecmascript",
    "text/x-javascript",
  ],
  ...[0, 1, 2, 3, 4, 5].map((minor) => `text/javascript1.${minor}`),
];

test("a page that hides its snippet from this command, or shows it another one than browsers, is not as it should be", async () => {
  const { body } = await account.request("GET", `/api/forms/${rsaForm}`);
  const tag = body.form.embedCode
    .split("\n")[0]
    .replaceAll(service.url, proxy.url)
    .replace(/ data-sealpost="[^"]*"/, "");
  const call = `<script>Sealpost.init("${rsaForm}", { "keyFingerprint": "${rsa}" });</script>`;
  const good = tag + call;
  const other = `sha384-${"A".repeat(64)}`;
  const bad = `<script>Sealpost.init("${rsaForm}", { encryption: false })</script>`;
  const withOptions = (options: string) => `${tag}<script>Sealpost.init("${rsaForm}", ${options});</script>`;
  let page = "";
  let type = "text/html";
  proxy.alter = ({ path }) =>
    path === "/contact" ? { status: 200, headers: { "content-type": type }, body: Buffer.from(page) } : undefined;
  const check = async (html: string) => {
    page = html;
    return verifyFew("--page", `${proxy.url}/contact`, "--form", `${rsaForm}=${rsa}`);
  };
  const plain = [
    good,
    `<svg><title>it's</title><style>a{}</style><path d="1"/></svg><br/>${good}`,
    `<script>var answer = 1 / 2 / 3;</script>${good}<template>${bad}</template><!---->`,
    `${tag}<script>if (/sent|"/.test(location.search)) thank("from Sealpost \\n"); ${call.slice(8)}`,
    `${tag}${call.replace("<script>", '<script type="module">import { thank } from "./thank.js"; ')}`,
    `<meta http-equiv="refresh" content="300">${good}<script nomodule>${bad.slice(8)}`,
    `<div><template shadowrootmode="open"><base href="https://evil.example/"></template></div>${good}`,
    withOptions(
      `{ // as the dashboard says\n keyFingerprint: ["${rsa}",], messages: { sent: "{" }, onSuccess() { done(1, {}); }, }`,
    ),
    withOptions(`{ keyFingerprint: '${rsa}', encryption: true, endpoint: "${proxy.url}" }`),
    `${tag.replace("src=", "crossorigin src=").replace(/"(http[^"]+)"/, "$1")}${call}`,
  ];
  for (const html of plain) {
    const { code, errors } = await check(html);
    assert.equal(code, 0, html + errors);
  }
  const lies: readonly [html: string, message: RegExp][] = [
    [good.replace('integrity="', 'integrity="x-'), /does not fit its integrity/],
    [good.replace('integrity="', `integrity="${other} `), /integrity with something else in it/],
    [good.replace(tag, tag.replace(/" crossorigin/, ` ${other}" crossorigin`)), /integrity with something else in it/],
    [`<!-->${bad}<!-- -->${good}`, /unsealed/],
    [`<!--->${bad}<!-- -->${good}`, /unsealed/],
    [`<!-- --!>${bad}<!-- -->${good}`, /unsealed/],
    [`<p ='>${bad}<p '>${good}`, /unsealed/],
    [`<p a=b='>${bad}<p '>${good}`, /unsealed/],
    ...["textarea", "template", "title", "noscript", "style", "iframe", "xmp"].map((name): [string, RegExp] => [
      `<${name}>${good}</${name}>`,
      /has no snippet of Sealpost/,
    ]),
    [good.replace("<script src", '<script type="text/plain" src'), /has no snippet of Sealpost/],
    [`${tag}${call.replace("<script>", '<script type="x">')}`, /has no snippet of Sealpost/],
    [`<svg><![CDATA[>${good}]]></svg>`, /has no snippet of Sealpost/],
    [`<svg><style><script src=/x.js></script></style></svg>${good}`, /a script inside SVG/],
    [`<math><annotation-xml><script>go()</script></annotation-xml></math>${good}`, /a script inside SVG or MathML/],
    [`<svg><foreignObject>${bad}</foreignObject></svg>${good}`, /unsealed/],
    [`<svg></math><textarea></svg>${bad}</textarea>${good}`, /unsealed/],
    [`<script><!-- <script> </script>${good}`, /has no snippet of Sealpost/],
    [`<div><template shadowrootmode="open">${bad}</template></div>${good}`, /unsealed/],
    ...javaScriptTypes.flatMap((name): [string, RegExp][] => [
      [good + bad.replace("<script>", `<script type="${name}">`), /unsealed/],
      [good + bad.replace("<script>", `<script type=" ${name.toUpperCase()} ">`), /unsealed/],
    ]),
    [good + bad.replace("<script>", '<script language="jscript">'), /unsealed/],
    [good + bad.replace("<script>", '<script type="" language="x">'), /unsealed/],
    [good + bad.replace("<script>", '<script type="module" nomodule>'), /unsealed/],
    [
      `${good}<script>${`Sealpost.init("${rsaForm}", { keyFingerprint: "${rsa}" });`.repeat(50)}${bad.slice(8)}`,
      /names Sealpost in a way/,
    ],
    [
      `${good}${Array.from({ length: 51 }, (_, index) => `<script src="/${index}.js"></script>`).join("")}`,
      /more than 50 scripts/,
    ],
    [good + tag.replaceAll(proxy.url, "https://evil.example"), /sends form_\w+ to https:\/\/evil\.example, not to/],
    [`<meta http-equiv=Refresh content="0; url=https://evil.example/">${good}`, /sends visitors on to another address/],
    [`<!-- charset=utf-8 --><meta charset="iso-2022-jp">\x1b$B<!--\x1b(B${bad}<!-- -->${good}`, /charset in which/],
    [`\x1b$B<!--\x1b(B${bad}<!-- -->${good}`, /charset in which/],
    [
      `<template shadowrootmode="open"><base href="${proxy.url}/"></template><base href="https://evil.example/">${withOptions(`{ keyFingerprint: "${rsa}", endpoint: "/" }`)}`,
      /sends form_\w+ to \//,
    ],
    [`${"<div>".repeat(600)}${bad}${good}`, /nested more than 512 deep/],
    [withOptions(`{} /* keyFingerprint:"${rsa}" */`), /pins no key/],
    [withOptions(`{\n// keyFingerprint: "${rsa}"\n}`), /pins no key/],
    [
      `${tag}<script>/* Sealpost.init("${rsaForm}", {}) */ var S = Sealpost; S["init"]("${rsaForm}", {})</script>`,
      /names Sealpost in a way/,
    ],
    [`${good}<script>window["Sealpost"].init("${rsaForm}", {})</script>`, /names Sealpost in a way/],
    [`${good}<script>Sealpost["init"]("${rsaForm}", {})</script>`, /names Sealpost in a way/],
    ...[
      `{ ["encryption"]: false, keyFingerprint: "${rsa}" }`,
      `{ keyFingerprint: "${rsa}", encryption: 0 }`,
      `{ keyFingerprint: "${rsa}", ...more }`,
      `{ keyFingerprint: "${rsa}", keyFingerprint: "${rsa}" }`,
      `{ keyFingerprint: "${rsa}" + more }`,
      `{ keyFingerprint }`,
      `{ keyFingerprint: "${rsa}", endpoint: where }`,
      "options",
    ].map((options): [string, RegExp] => [withOptions(options), /has options for form_\w+ that can't be read/]),
    [withOptions(`{ keyFingerprint: "${rsa}", "\\x65ncryption": false }`), /unsealed/],
    [
      withOptions(`{ keyFingerprint: "${rsa}", onSuccess() { Sealpost.init("${rsaForm}", { encryption: !1 }) } }`),
      /unsealed/,
    ],
    [withOptions(`{ keyFingerprint: "${rsa}", get encryption() { return false } }`), /can't be read/],
    [`${good}<script>Sealpost?.init("${rsaForm}", {})</script>`, /names Sealpost in a way/],
    [withOptions(`{ keyFingerprint: "${rsa}", endpoint: "//evil.example" }`), /sends form_\w+ to \/\/evil/],
    [good.replace("></script>", ` data-sealpost="${rsaForm}" data-sealpost-options="{"></script>`), /can't be read/],
    [
      `<base href="https://evil.example/">${withOptions(`{ keyFingerprint: "${rsa}", endpoint: "/" }`)}`,
      /sends form_\w+ to \//,
    ],
    [good.replace("src=", 'src="data:,/sealpost.js" x='), /is no address/],
  ];
  for (const [html, message] of lies) {
    const { code, errors } = await check(html);
    assert.equal(code, 9, html);
    assert.match(errors, message, html);
  }
  for (type of ["text/html; charset=iso-2022-jp", "text/html; xcharset=utf-8; charset=iso-2022-jp"])
    assert.match((await check(good)).errors, /charset in which this command can't read it/);
  type = "text/html; charset=UTF-8";
  // A script that runs something besides its calls is named, and so is one that changes what others load.
  for (const more of ["a: go()", "a: (go(), {})", "[go()]: 1", "a: [b`c`]", "a() {}", "a: { get b() {} }"]) {
    const { output } = await check(withOptions(`{ keyFingerprint: "${rsa}", ${more} }`));
    assert.match(output, /has another script, which is not checked: a script inside the page/, more);
  }
  assert.doesNotMatch((await check(withOptions(`{ keyFingerprint: "${rsa}", a: [1, { b: -1 }] }`))).output, /another/);
  assert.match((await check(`<script type=importmap>{}</script>${good}`)).output, /not checked: an import map inside/);
  const { code, output } = await check(`<script src=https://evil.example/x.js></script>${good}<script>go()</script>`);
  assert.equal(code, 0);
  assert.match(output, /\/contact has another script, which is not checked: https:\/\/evil\.example\/x\.js\n/);
  assert.match(output, /\/contact has another script, which is not checked: a script inside the page \(sha256-/);
});

test("as JSON the outcome names release, browsers and findings, and shows nothing that moves a terminal's cursor", async () => {
  proxy.alter = ({ path, headers }) =>
    path === "/" && isSafari(headers) ? { status: 302, headers: { location: "/\u009b31m" } } : undefined;
  const { code, output, errors } = await verify("--json");
  assert.equal(code, 9);
  const { release, findings, browsers, instance } = JSON.parse(output);
  assert.deepEqual(release, { version: "9.8.7", trust: "unsigned", files: some.size });
  assert.deepEqual([instance, browsers.length, findings.length], [proxy.url, 5, 1]);
  assert.deepEqual([findings[0].subject, findings[0].browsers], ["/", ["Safari on an iPhone"]]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
  assert.doesNotMatch(output + errors, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});

test("a page that never closes what it opens is read to its end, or said to be too deep", async () => {
  const { readSnippet } = await import("../../packages/cli/src/verify/snippet.ts");
  const pieces = [
    "<a b='",
    "<script ",
    "<!--",
    '<a b="',
    "<a =",
    "Sealpost.init('form_01hk153x00e5rbcwg8rxcnh8w4', {keyFingerprint:[",
    "<script>",
    "<div>",
    "<a>",
    "<b><p>",
    "<table><a>",
    "<svg><desc>",
    "Sealpost.init(",
    "[",
    "`${",
  ];
  const count = isWhole ? 100_000 : 20_000;
  for (const piece of pieces) {
    const { forms } = readSnippet(`<script>${piece.repeat(count)}</script>`);
    assert.ok(forms.length <= 50);
    assert.deepEqual(readSnippet(piece.repeat(count)).scripts, []);
  }
});

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { Agent, type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { test } from "node:test";
import { chooseLanguage, languages } from "@sealpost/texts";
import { labelBrowser } from "../authentication/browser-label.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { resolveNext } from "../html-forms/html-form.ts";
import { readAddress, toClientNetwork } from "../rate-limits/client-address.ts";
import { createTestService } from "../testing/test-service.ts";
import { chooseEncoding } from "./choose-encoding.ts";
import { readCookies, writeCookies } from "./cookies.ts";
import { isUnchanged, readSeen } from "./preconditions.ts";
import { languageOf, readWanted } from "./request-language.ts";

const sources = new URL("../", import.meta.url).pathname;

/** The headers of requests that our code reads. Each is sent below, in every shape: one that is read by new code fails the scan until it is here. */
const readByUs = [
  "accept",
  "accept-encoding",
  "accept-language",
  "authorization",
  "content-encoding",
  "content-length",
  "content-type",
  "cookie",
  "if-match",
  "if-none-match",
  "origin",
  "sealpost-forgotten",
  "sealpost-organization",
  "sec-fetch-site",
  "transfer-encoding",
  "user-agent",
] as const;

/** Those that Fastify, the sign-in library or a proxy's rules read. What frames a message (`Connection`, `Expect`) is read by Node's parser alone. */
const readByLibraries = [
  "access-control-request-headers",
  "access-control-request-method",
  "forwarded",
  "host",
  "if-modified-since",
  "range",
  "x-forwarded-for",
  "x-forwarded-host",
] as const;

/** A wrong one leaves the parser waiting, and nothing of ours sees it. */
const framing: ReadonlySet<string> = new Set(["content-length", "transfer-encoding"]);

/** Headers of answers, ours and other servers', and names of methods. */
const notOfRequests = new Set(
  "add delete find get has location map name retry-after set strict-transport-security ts getSetCookie".split(" "),
);

/** Names in the sources that are no literals. */
const constants: Readonly<Record<string, readonly string[]>> = {
  organizationHeader: ["sealpost-organization"],
  name: ["origin", "sec-fetch-site"],
};

test("every header of a request that is read anywhere is sent in the hostile shapes below", () => {
  const found = new Set<string>();
  for (const file of globSync("**/*.ts", { cwd: sources }).filter((name) => !/\.test\.ts$|testing\//.test(name))) {
    const text = readFileSync(`${sources}${file}`, "utf8").replaceAll(/^import .*$/gm, "");
    for (const [, member, index] of text.matchAll(/\bheaders\??(?:\.([a-z]\w*)|(?:\?\.)?\[([^\]]+)\])/gi)) {
      const name = member ?? index ?? "";
      const names = constants[name] ?? [name.replaceAll('"', "")];
      for (const one of names) if (!notOfRequests.has(one)) found.add(one);
    }
  }
  assert.deepEqual([...found].toSorted(), [...readByUs]);
});

/** Repeated until the text is long enough. A quadratic reader needs many pieces, or one that ends where nobody expects it. */
const pieces: Readonly<Record<string, string>> = {
  letters: "a",
  subtags: "a-",
  "subtags with weights": "a-a;q=1,",
  blanks: "a  ",
  tabs: "\t",
  commas: ",",
  items: "a,",
  tags: '"a", ',
  weak: 'W/"a",',
  quotes: '"',
  backslashes: '"\\',
  semicolons: ";",
  parameters: "a;q=0 ",
  zeros: "0",
  "weights with zeros": ";q=0.0000000",
  numbers: "1.",
  colons: "1:",
  brackets: "[::1]:",
  addresses: "::ffff:1.2.3.4, ",
  slashes: "a/",
  cookies: "a=1;",
  "one cookie": "sealpost_session=a;",
  escapes: "%41",
  "broken escapes": "%C3%",
  browsers: "Mozilla/5.0 (X; ",
  boundaries: "; boundary=a",
  dots: "..",
  credentials: "Bearer ",
};

function build(piece: string, length: number): string {
  return piece
    .repeat(Math.ceil(length / piece.length))
    .slice(0, length - 1)
    .concat("x");
}

/** Readers of one text each, so that nothing else hides what they take. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "the language of a page": (text) => languageOf({ headers: { "accept-language": text } }),
  "the wanted languages": readWanted,
  "the language by one tag": (text) => chooseLanguage([text], languages),
  "the language by many tags": (text) => chooseLanguage(text.split(","), languages),
  "the encoding": (text) => chooseEncoding({ headers: { "accept-encoding": text } }, ["br", "gzip"]),
  "the known versions": (text) => isUnchanged(toRequest({ "if-none-match": text }), '"x"'),
  "the version that was seen": (text) => readSeen(toRequest({ "if-match": text })),
  cookies: (text) => writeCookies(readCookies(text)),
  "the browser": labelBrowser,
  "an address": readAddress,
  "a network": toClientNetwork,
  "where a form leads next": (text) => resolveNext(`https://shop.example/${text}`, text, ["https://*.example"]),
};

function toRequest(headers: IncomingHttpHeaders) {
  return { headers } as Parameters<typeof isUnchanged>[0]; // all of a request that they read
}

for (const [reader, read] of Object.entries(readers))
  test(`the work of reading ${reader} grows no faster than the header`, () => {
    for (const [shape, piece] of Object.entries(pieces)) {
      const [short, middle, long] = [1024, 4096, 16_384].map((length) => build(piece, length));
      assert.ok(short !== undefined && middle !== undefined && long !== undefined);
      const ratio = measure(read, long) / measure(read, short);
      // Sixteen times as long; of a quadratic one it would be 256.
      if (ratio >= 40) {
        const again = measure(read, long) / measure(read, short);
        assert.ok(again < 40, `${shape}: ${ratio.toFixed()} and ${again.toFixed()} times the work`);
      }
      read(middle);
    }
  });

/** Processor time of one reading in microseconds, at the least: the median of several, each long enough to be measured. */
function measure(read: (text: string) => unknown, text: string): number {
  const times: number[] = [];
  for (let round = 0; round < 3; round++) {
    const begin = process.cpuUsage();
    let [count, taken] = [0, 0];
    for (let repeats = 1; taken < 300; repeats *= 2) {
      for (let repeat = 0; repeat < repeats; repeat++) read(text);
      count += repeats;
      const { user, system } = process.cpuUsage(begin);
      taken = user + system;
    }
    times.push(taken / count);
  }
  return times.toSorted((one, other) => one - other)[1] ?? 0;
}

test("no header, cookie, query or path costs a request more than in proportion to its length", {
  timeout: 240_000,
}, async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32,::1/128" } });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ payload: { encrypted: false, version: "plain1", fields: { a: "b" } } });
  const routes = [
    ["GET", "/f/x/thanks", {}],
    ["GET", "/nothing", { accept: "text/html" }],
    ["GET", "/embed/sealpost.js", {}],
    ["GET", "/api/forms", { "sec-fetch-site": "same-origin" }],
    ["POST", `/api/forms/${formId}/submissions`, json, body],
    ["POST", "/api/auth/sign-out", { ...json, origin: service.url }, "{}"],
  ] as const;

  function send(method: string, path: string, headers: Readonly<Record<string, string>>, text?: string): Promise<void> {
    return new Promise((resolve) => {
      const length = text === undefined ? {} : { "content-length": String(Buffer.byteLength(text)) };
      const sent = requestHttp(service.url, { agent, method, path, headers: { ...length, ...headers } }, (answer) => {
        answer.resume();
        answer.on("close", resolve);
      });
      // A refused connection or a header that the client does not send costs the service nothing.
      sent.on("error", () => resolve());
      sent.setTimeout(5_000, () => sent.destroy());
      sent.end(text);
    });
  }

  async function take(work: () => Promise<void>): Promise<number> {
    const begin = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(begin);
    return user + system;
  }

  async function medianOf(work: () => Promise<void>): Promise<number> {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) times.push(await take(work));
    return times.toSorted((one, other) => one - other)[2] ?? 0;
  }

  const errors: string[] = [];
  for (const [method, path, headers, text] of routes) {
    for (let round = 0; round < 20; round++) await send(method, path, headers, text);
    const base = await medianOf(() => send(method, path, headers, text));
    const asked = new Map<string, (length: number) => Promise<void>>();
    for (const [shape, piece] of Object.entries(pieces)) {
      for (const name of [...readByUs, ...readByLibraries].filter((one) => !framing.has(one)))
        asked.set(`${name}: ${shape}`, (length) =>
          send(method, path, { ...headers, [name]: build(piece, length).trim() }, text),
        );
      const inAddress = encodeURI(piece).replaceAll(/[?#]/g, "");
      asked.set(`query: ${shape}`, (length) => send(method, `${path}?${build(inAddress, length)}`, headers, text));
      asked.set(`path: ${shape}`, (length) => send(method, `${path}/${build(inAddress, length)}`, headers, text));
    }
    for (const [name, ask] of asked) {
      // One look at each; a neighbour on this machine, or the collector, may have been busy.
      if ((await take(() => ask(15_000))) < 8 * base + 3_000) continue;
      const [short, long] = [await medianOf(() => ask(1_000)), await medianOf(() => ask(15_000))];
      if (long > 15 * short) errors.push(`${method} ${path} ${name}: ${short} and ${long} microseconds`);
    }
  }
  assert.deepEqual(errors, []);
});

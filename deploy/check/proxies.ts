import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { request } from "node:https";
import { join } from "node:path";
import { createCertificate } from "../../scripts/demo/certificate.ts";
import { findFreePort, type Running, run, start } from "./service.ts";

const root = join(import.meta.dirname, "..", "..");
const main = [process.execPath, join(root, "packages/server/dist/service/sealpost-server.js")] as const;
/** Where the visitor comes from; the proxies and the service are at 127.0.0.1. */
const visitor = "127.0.0.77";
const canaries = [visitor, "canary-agent", "canary-referrer", "canary-query", "203.0.113.9", "canary-content"];

interface Ports {
  readonly http: number;
  readonly https: number;
  readonly service: number;
}

export async function checkNginx(folder: string): Promise<void> {
  const ports = await findPorts();
  const { key, cert } = await createCertificate();
  writeFileSync(join(folder, "privkey.pem"), key);
  writeFileSync(join(folder, "fullchain.pem"), cert);
  const logs = join(folder, "log");
  mkdirSync(logs);
  const example = replaceAll(readFileSync(join(root, "deploy/nginx.conf"), "utf8"), {
    "listen 80;": `listen 127.0.0.1:${ports.http};`,
    "listen 443 ssl;": `listen 127.0.0.1:${ports.https} ssl;`,
    "127.0.0.1:8080": `127.0.0.1:${ports.service}`,
    "/etc/letsencrypt/live/forms.example.com": folder,
    "/var/log/nginx": logs,
    "forms.example.com": "localhost",
  });
  writeFileSync(join(folder, "sealpost.conf"), example);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join("\n");
  const file = join(folder, "main.conf");
  writeFileSync(
    file,
    `pid ${folder}/pid;\ndaemon off;\nerror_log stderr notice;\nevents {}\nhttp {\n${temporary}\ninclude ${folder}/sealpost.conf;\n}\n`,
  );
  const proxy = await start(["nginx", "-p", folder, "-c", file], { ready: /start worker process/ });
  const redirect = await findRedirect(ports.http, "evil.example");
  await checkProxy(folder, ports, join(folder, "fullchain.pem"), proxy, () =>
    ["sealpost.log", "sealpost-error.log"].map((name) => readFileSync(join(logs, name), "utf8")).join("\n"),
  );
  assert.equal(redirect, "https://localhost/f/form_1?a=1", "a visitor's Host does not choose where HTTP leads to");
}

/** Where a request without TLS, under whatever name, is sent to. */
async function findRedirect(port: number, host: string): Promise<string | undefined> {
  const asked = get({ host: "127.0.0.1", port, path: "/f/form_1?a=1", headers: { host }, agent: false });
  const [response]: IncomingMessage[] = await once(asked, "response");
  response?.resume();
  return response?.headers.location;
}

export async function checkCaddy(folder: string): Promise<void> {
  const ports = await findPorts();
  // Its own authority, which it must not install on this machine; and ports of ours.
  const example = readFileSync(join(root, "deploy/Caddyfile"), "utf8").replace(
    "\n{\n",
    `\n{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n`,
  );
  const file = join(folder, "Caddyfile");
  writeFileSync(file, example);
  const environment = {
    HOME: folder,
    XDG_DATA_HOME: join(folder, "data"),
    XDG_CONFIG_HOME: join(folder, "config"),
    SEALPOST_SITE: `localhost:${ports.https}`,
    SEALPOST_UPSTREAM: `127.0.0.1:${ports.service}`,
  };
  const proxy = await start(["caddy", "run", "--adapter", "caddyfile", "--config", file], {
    environment,
    ready: /"msg":"serving initial configuration"/,
  });
  const authority = join(folder, "data/caddy/pki/authorities/local/root.crt");
  while (!existsSync(authority)) await new Promise((resolve) => setTimeout(resolve, 50));
  await checkProxy(folder, ports, authority, proxy, () => "");
}

/** One service with one proxy: what the doctor says, what reaches the service, and what the proxy keeps of it. */
async function checkProxy(
  folder: string,
  ports: Ports,
  authority: string,
  proxy: Running,
  readLogs: () => string,
): Promise<void> {
  const environment = {
    SEALPOST_BASE_URL: `https://localhost:${ports.https}`,
    SEALPOST_TRUSTED_PROXIES: "127.0.0.1/32",
    SEALPOST_PORT: String(ports.service),
    SEALPOST_DATA: join(folder, "sealpost"),
    SEALPOST_SUBMIT_RATE: "5",
    NODE_EXTRA_CA_CERTS: authority,
  };
  const service = await start([...main, "serve"], { environment, ready: /first one at/ });
  try {
    const doctor = await run([...main, "doctor"], folder, environment);
    assert.match(doctor, /The longest submission passes\n/);
    assert.match(doctor, /Problems: 0/);
    const ca = readFileSync(authority, "utf8");
    const send: Send = (path, body, headers = {}, localAddress = visitor) =>
      ask(ports.https, ca, path, body, headers, localAddress);
    const token = await signUp(service, send);
    const created = await send(
      "/api/forms",
      { name: "Form", settings: { encryption: false } },
      { authorization: `Bearer ${token}` },
    );
    assert.equal(created.status, 200, created.text);
    const id = JSON.parse(created.text).form.id as string; // as the API says
    const path = `/api/forms/${id}/submissions?canary-query=1`;
    const submission = { payload: { encrypted: false, version: "plain1", fields: { message: "canary-content" } } };
    // A visitor is counted by the address that the proxy sees, whatever other addresses it claims to have.
    const statuses: number[] = [];
    for (let count = 0; count < 7; count++)
      statuses.push(
        (await send(path.split("?")[0] ?? "", submission, { "x-forwarded-for": `203.0.113.${count}` })).status,
      );
    assert.deepEqual(statuses, [201, 201, 201, 201, 201, 429, 429]);
    const other = await send(path.split("?")[0] ?? "", submission, {}, "127.0.0.78");
    assert.equal(other.status, 201, "another visitor has a count of its own");
    assert.equal(await beginSubmission(ports.https, ca), 404, "no body is waited for where there is no form");
    // The service's headers arrive unchanged.
    const page = await send("/");
    assert.match(String(page.headers["content-security-policy"]), /default-src 'none'/);
    assert.match(String(page.headers["strict-transport-security"]), /max-age=/);
    assert.equal((await send(path)).status, 401);
    assert.equal((await send("/nowhere/canary-query")).status, 404);
    await service.stop();
    assert.equal((await send("/health/live")).status, 502, "an error of the proxy's own, which it may log");
  } finally {
    service.child.kill("SIGKILL");
    await proxy.stop();
  }
  const kept = `${readLogs()}\n${proxy.output()}`;
  assert.match(kept, /\b(429|502)\b/, "a control: requests are logged");
  for (const canary of canaries) assert.ok(!kept.includes(canary), `${canary} is in the proxy's log:\n${kept}`);
}

/** The first account, made through the proxy with the token that the start printed; answers with a session token. */
async function signUp(service: Running, send: Send): Promise<string> {
  const setupToken = /[?&]token=([\w-]+)/.exec(service.output())?.[1];
  const owner = { name: "Owner", email: "owner@example.com", password: "correct horse battery", setupToken };
  const created = await send("/api/auth/sign-up/email", owner);
  assert.equal(created.status, 200, created.text);
  const cookie = created.headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
  const issued = await send("/api/auth/token", undefined, { cookie, "sec-fetch-site": "same-origin" });
  return JSON.parse(issued.text).token as string; // as the API says
}

type Send = (
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
  localAddress?: string,
) => ReturnType<typeof ask>;

function ask(
  port: number,
  ca: string,
  path: string,
  body: unknown,
  headers: Record<string, string>,
  localAddress: string,
) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    readonly status: number;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    readonly text: string;
  }>();
  const text = body === undefined ? undefined : JSON.stringify(body);
  request(
    {
      ...{ host: "127.0.0.1", servername: "localhost", port, ca, path, localAddress, agent: false },
      method: text === undefined ? "GET" : "POST",
      headers: {
        host: `localhost:${port}`,
        "user-agent": "canary-agent",
        referer: "https://canary-referrer.example/",
        ...(text !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        ...headers,
      },
    },
    async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer); // no encoding is set
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() });
    },
  )
    .on("error", reject)
    .end(text);
  return promise;
}

/** The status of the answer to a submission to no form, of whose megabyte one byte has come. */
async function beginSubmission(port: number, ca: string): Promise<number | undefined> {
  const begun = request({
    ...{ host: "127.0.0.1", servername: "localhost", port, ca, localAddress: "127.0.0.79", agent: false },
    ...{ method: "POST", path: "/api/forms/form_1/submissions", timeout: 5_000 },
    headers: { host: `localhost:${port}`, "content-type": "application/json", "content-length": 1_000_000 },
  });
  begun.on("timeout", () => begun.destroy(new Error("The proxy waits for the whole body")));
  begun.write("{");
  const [response]: IncomingMessage[] = await once(begun, "response");
  begun.destroy();
  return response?.statusCode;
}

async function findPorts(): Promise<Ports> {
  const [http, https, service] = [await findFreePort(), await findFreePort(), await findFreePort()];
  return { http, https, service };
}

function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(replacements)) {
    assert.ok(result.includes(from), `${from} is not in the example`);
    result = result.replaceAll(from, to);
  }
  return result;
}

import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  createId,
  type Fields,
  type FormId,
  fingerprint,
  type HybridKeyPair,
  hybridFingerprint,
  isId,
  type KeyPair,
  type SealedPayload,
  type SealedVersion,
  type SubmissionId,
} from "@sealpost/wire";
import { type AnyOpeningKey, importHybridOpeningKey, importOpeningKey, open } from "@sealpost/wire/open";
import { firstHybridPair } from "../../../tests/support/hybrid-key-pairs.ts";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { browserFolder, buildEmbed, type Manifest } from "../build.ts";

/** A submission as it arrived, unopened. */
export interface Posted {
  readonly id: SubmissionId;
  readonly keyVersion: number;
  readonly timestamp: number;
  readonly payload: SealedPayload<SealedVersion>;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How the next post is treated. The default is to store it and say so, as the contract has it. */
export type PostBehaviour =
  | { readonly kind: "answer"; readonly status: number; readonly body: unknown }
  | { readonly kind: "lose" }
  | { readonly kind: "store_and_lose" }
  /** The status arrives, and the connection ends within what it announces. */
  | { readonly kind: "store_and_cut" }
  | { readonly kind: "hold"; readonly until: Promise<unknown> };

/**
 * The two public endpoints of the service by contract, and its scripts, on a port of their own. It opens what it stores
 * with the owner's key, and can be made to lie.
 */
export interface TestService {
  readonly url: string;
  readonly formId: FormId;
  readonly keyPair: KeyPair;
  readonly fingerprint: string;
  /** Offered in addition to the RSA key after `reset({ hybrid: true })`. */
  readonly hybridPair: HybridKeyPair;
  readonly hybridFingerprint: string;
  readonly manifest: Manifest;
  readonly requests: readonly Request[];
  /** Every body that was posted, also those that were lost or refused. */
  readonly posts: readonly string[];
  /** Answers GET …/public; `honest` is what the contract says. */
  publicAnswer: (honest: PublicAnswer) => { readonly status?: number; readonly body: unknown };
  /** For how many seconds a browser may keep that answer; 0 until a test says otherwise. */
  publicMaxAge: number;
  /** Answers GET …/keys/log?from=; by default there is no log. */
  keyLogAnswer: (from: number) => { readonly status?: number; readonly body: unknown } | "lose";
  readonly nextPosts: PostBehaviour[];
  /** Changes a script before it is served. `undefined`: it is never answered, the connection hangs. */
  alterScript: (text: string, file: string) => string | undefined;
  /** The stored submissions, opened, in the order of arrival; only those of some bodies, on request. */
  opened(isWanted?: (body: string) => boolean): Promise<Fields[]>;
  /** Resolves when `count` bodies were posted. */
  posted(count: number): Promise<void>;
  reset(settings?: Partial<StripSettings> & { readonly hybrid?: boolean }): void;
  close(): Promise<void>;
}

export interface StripSettings {
  readonly piiStrip: boolean;
  readonly piiTypes: readonly string[] | null;
  readonly country: string | null;
}

export interface PublicAnswer {
  form: {
    id: string;
    publicKey: Record<string, unknown>;
    keyVersion: number;
    keyFingerprint: string;
    hybridPublicKey?: Record<string, unknown>;
    hybridKeyFingerprint?: string;
    settings: { encryption: boolean } & Partial<StripSettings>;
  };
}

export async function startService(): Promise<TestService> {
  const manifest = await buildEmbed();
  const keyPair = takeKeyPair();
  const keyFingerprint = await fingerprint(keyPair.publicKey);
  const hybridPair = firstHybridPair;
  const hybridKeyFingerprint = await hybridFingerprint(hybridPair.publicKey);
  const formId = createId("form");
  const requests: Request[] = [];
  const posts: string[] = [];
  const stored = new Map<string, string>();
  const waiting: { count: number; resolve: () => void }[] = [];
  let offersHybrid = false;
  let stripSettings: StripSettings = { piiStrip: false, piiTypes: null, country: null };

  const server = createServer((request, response) => {
    handle(request, response).catch((error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens

  const service: TestService = {
    url: `http://127.0.0.1:${port}`,
    formId,
    keyPair,
    fingerprint: keyFingerprint,
    hybridPair,
    hybridFingerprint: hybridKeyFingerprint,
    manifest,
    requests,
    posts,
    nextPosts: [],
    publicAnswer: (body) => ({ body }),
    publicMaxAge: 0,
    keyLogAnswer: noKeyLog,
    alterScript: (text) => text,
    async opened(isWanted = () => true) {
      const keys = await Promise.all([
        importOpeningKey(keyPair.privateKey),
        importHybridOpeningKey(hybridPair.privateKey),
      ]);
      return Promise.all([...stored.values()].filter(isWanted).map((body) => openBody(body, formId, keys)));
    },
    posted(count) {
      return new Promise((resolve) => {
        if (posts.length >= count) resolve();
        else waiting.push({ count, resolve });
      });
    },
    reset({ hybrid = false, ...settings } = {}) {
      offersHybrid = hybrid;
      requests.length = posts.length = waiting.length = service.nextPosts.length = 0;
      stored.clear();
      stripSettings = { piiStrip: false, piiTypes: null, country: null, ...settings };
      service.publicAnswer = (body) => ({ body });
      service.publicMaxAge = 0;
      service.keyLogAnswer = noKeyLog;
      service.alterScript = (text) => text;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return service;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "";
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const { method = "" } = request;
    requests.push({ method, path, headers: request.headers, body });
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("access-control-allow-headers", "content-type");
    if (method === "OPTIONS") response.writeHead(204).end();
    else if (path.startsWith("/embed/")) await serveScript(path.slice("/embed/".length).replace(/\?.*/, ""), response);
    else if (method === "GET" && path === `/api/forms/${formId}/public`) {
      const honest: PublicAnswer = {
        form: {
          id: formId,
          publicKey: { ...keyPair.publicKey },
          keyVersion: 3,
          keyFingerprint,
          ...(offersHybrid && { hybridPublicKey: { ...hybridPair.publicKey }, hybridKeyFingerprint }),
          settings: { encryption: true, ...stripSettings },
        },
      };
      const answer = service.publicAnswer(honest);
      if (service.publicMaxAge) response.setHeader("cache-control", `private, max-age=${service.publicMaxAge}`);
      send(response, answer.status ?? 200, answer.body);
    } else if (method === "GET" && path.startsWith(`/api/forms/${formId}/keys/log?from=`)) {
      const answer = service.keyLogAnswer(Number(path.split("=")[1]));
      if (answer === "lose") return breakOff(response);
      send(response, answer.status ?? 200, answer.body);
    } else if (method === "POST" && path === `/api/forms/${formId}/submissions`) await receive(body, response);
    else send(response, 404, { error: "not_found", message: "Form not found" });
  }

  async function receive(body: string, response: ServerResponse): Promise<void> {
    posts.push(body);
    for (const { count, resolve } of waiting) if (posts.length >= count) resolve();
    const behaviour = service.nextPosts.shift();
    if (behaviour?.kind === "answer") return send(response, behaviour.status, behaviour.body);
    if (behaviour?.kind === "hold") await behaviour.until;
    if (behaviour?.kind === "lose") return breakOff(response);
    const { id, payload, timestamp } = JSON.parse(body) as Posted; // what it is, the tests look at
    const before = stored.get(id);
    if (before !== undefined && before !== body)
      return send(response, 409, { error: "conflict", message: "A submission with this id already exists" });
    if (!isId("submission", id) || payload === undefined)
      return send(response, 400, { error: "bad_request", message: "Invalid request" });
    stored.set(id, body);
    if (behaviour?.kind === "store_and_lose") return breakOff(response);
    if (behaviour?.kind === "store_and_cut") return breakOff(response, 201);
    send(response, before === undefined ? 201 : 200, {
      success: true,
      submission: { id, timestamp, receivedAt: timestamp },
    });
  }

  async function serveScript(file: string, response: ServerResponse): Promise<void> {
    const text = await readFile(`${browserFolder}/${file}`, "utf8");
    const altered = service.alterScript(text, file);
    if (altered === undefined) return;
    response.setHeader("cross-origin-resource-policy", "cross-origin");
    response.setHeader("content-type", `text/${file.endsWith(".css") ? "css" : "javascript"}; charset=utf-8`);
    response.end(altered);
  }
}

async function openBody(body: string, formId: FormId, keys: readonly AnyOpeningKey[]) {
  const { id, payload, keyVersion } = JSON.parse(body) as Posted; // posted by our own script
  const result = await open({ payload, formId, keyVersion, submissionId: id }, keys);
  if (!result.opened) throw new Error(result.message);
  return result.fields;
}

const noKeyLog = () => ({
  status: 404,
  body: { error: "not_found", message: "This form has no key log", code: "key_log_none" },
});

/** Breaks off in the middle of the answer: what breaks off before it, the browser itself may send again unseen. */
function breakOff(response: ServerResponse, status = 502): void {
  response.writeHead(status, { "content-type": "application/json", "content-length": 1000 });
  response.write("{", () => response.destroy());
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const isText = typeof body === "string";
  if (status === 302) response.setHeader("location", "/elsewhere");
  response.writeHead(status, { "content-type": isText ? "text/html" : "application/json" });
  response.end(isText ? body : JSON.stringify(body));
}

import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createKeyFile, type KeyPair } from "@sealpost/sdk";
import { createId, type Fields, type FormId, fingerprint, isId, type SubmissionId, seal } from "@sealpost/wire";
import {
  createTestService,
  type TestAccount,
  type TestService,
} from "../../packages/server/src/testing/test-service.ts";
import { takeKeyPair } from "../support/key-pairs.ts";

/** The request, before anybody answered it. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Gives the answer that replaces the honest one; `undefined` lets the honest one through. */
type Lie = (honest: Answer, asked: Asked) => Answer | undefined;

export interface Answer {
  readonly status: number;
  /** Parsed JSON; for an export, all of its lines; anything else as text. A lie may be bytes as well. */
  readonly body: unknown;
}

/**
 * A service in bad hands: every request goes through to a real service and its real database, and every answer may be
 * replaced on the way back. So the client meets the whole service, with exactly one lie in it.
 */
export interface MaliciousService {
  readonly url: string;
  /** The honest service. */
  readonly service: TestService;
  readonly account: TestAccount;
  readonly formId: FormId;
  /** The form's key pair, made by its owner. */
  readonly pair: KeyPair;
  readonly fingerprint: string;
  /** The owner's key file. */
  readonly keyFile: string;
  /** The requests that the server has seen. */
  readonly asked: readonly Asked[];
  /** Replaces the answers to `method` and a path that `path` matches. */
  lie<Body>(method: string, path: RegExp, change: (honest: Body, asked: Asked) => unknown, status?: number): void;
  /** Answers by itself; the honest service never hears of it. */
  swallow(method: string, path: RegExp, answer: (asked: Asked) => Answer): void;
  honest(): void;
  /** Seals `fields` to the owner's key and stores it by the honest service, as a visitor does. */
  submit(fields: Fields): Promise<SubmissionId>;
}

export async function startMaliciousService(t: { after(close: () => unknown): unknown }): Promise<MaliciousService> {
  const service = await createTestService({ after: (close) => t.after(close as () => unknown) });
  const account = await service.signUp("owner@example.com");
  const pair = takeKeyPair();
  const created = await account.request("POST", "/api/forms", { name: "Contact", publicKey: pair.publicKey });
  const formId: FormId = created.body.form.id;
  const lies: { method: string; path: RegExp; lie: Lie }[] = [];
  const swallows: { method: string; path: RegExp; answer: (asked: Asked) => Answer }[] = [];
  const asked: Asked[] = [];

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // a TCP server that listens
  const url = `http://localhost:${port}`;

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await text(incoming);
    const [method, path] = [incoming.method ?? "", incoming.url ?? ""];
    const seen: Asked = { method, path, body };
    asked.push(seen);
    const fits = (rule: { method: string; path: RegExp }) => rule.method === method && rule.path.test(path);
    const swallow = swallows.find(fits);
    if (swallow !== undefined) return send(outgoing, swallow.answer(seen));
    const headers = { ...incoming.headers, host: new URL(service.url).host };
    if (headers.origin === url) headers.origin = service.url;
    const through = request(`${service.url}${path}`, { method, headers }).end(body);
    const [honest] = (await once(through, "response")) as [IncomingMessage]; // what the event gives
    const lie = lies.find(fits);
    if (lie === undefined) {
      outgoing.writeHead(honest.statusCode ?? 0, honest.headers);
      return void honest.pipe(outgoing);
    }
    const answer = { status: honest.statusCode ?? 0, body: parse(await text(honest), honest.headers["content-type"]) };
    send(outgoing, lie.lie(answer, seen) ?? answer);
  }

  return {
    url,
    service,
    account,
    formId,
    pair,
    fingerprint: await fingerprint(pair.publicKey),
    keyFile: JSON.stringify(
      await createKeyFile({
        formId,
        formName: "Contact",
        keyVersion: 1,
        createdAt: 1,
        privateKey: pair.privateKey,
      }),
    ),
    asked,
    lie<Body>(method: string, path: RegExp, change: (honest: Body, asked: Asked) => unknown, status?: number) {
      lies.unshift({
        method,
        path,
        lie: (honest, seen) => ({
          status: status ?? honest.status,
          body: change(honest.body as Body, seen), // what the honest service answers there, as the test says
        }),
      });
    },
    swallow: (method, path, answer) => void swallows.unshift({ method, path, answer }),
    honest() {
      lies.length = swallows.length = asked.length = 0;
    },
    async submit(fields) {
      const submissionId = createId("submission");
      const payload = await seal(fields, { formId, keyVersion: 1, submissionId }, pair.publicKey);
      const body = { id: submissionId, payload, keyVersion: 1, timestamp: Date.now() };
      const answer = await service.request("POST", `/api/forms/${formId}/submissions`, { body });
      if (answer.status !== 201) throw new Error(`Not stored: ${answer.status}`);
      return submissionId;
    },
  };
}

function parse(body: string, type = ""): unknown {
  if (type.includes("ndjson"))
    return body
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return type.includes("json") ? JSON.parse(body) : body;
}

const revisions = new WeakMap<Uint8Array, number>();

/** These bytes, which are answered as a revision of an envelope with this number; others are as its first. */
export function asRevision(bytes: Uint8Array, revision: number): Uint8Array {
  revisions.set(bytes, revision);
  return bytes;
}

function send(outgoing: ServerResponse, { status, body }: Answer): void {
  const isStream = Array.isArray(body);
  const isBytes = body instanceof Uint8Array;
  const content = isBytes
    ? body
    : isStream
      ? body.map((line) => `${JSON.stringify(line)}\n`).join("")
      : typeof body === "string"
        ? body
        : JSON.stringify(body);
  outgoing.writeHead(status, {
    "content-type": isBytes
      ? "application/octet-stream"
      : isStream
        ? "application/x-ndjson"
        : typeof body === "string"
          ? "text/html"
          : "application/json",
    ...(isBytes && { etag: `"${revisions.get(body) ?? 1}-made-up"` }),
    // An export that is made up has an end that fits.
    ...(isStream && isId("submission", body.at(-1)?.id) && { "sealpost-last-submission": body.at(-1).id }),
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "content-type",
    "cache-control": "no-store",
  });
  outgoing.end(content);
}

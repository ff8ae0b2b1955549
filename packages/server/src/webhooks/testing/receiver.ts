import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import type { TLSSocket } from "node:tls";
import { generate } from "selfsigned";

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate authority of this test run and what it has signed for the receivers on loopback. */
export interface Authority {
  readonly ca: string;
  /** For 127.0.0.1, ::1, localhost and `receiver.example`. */
  readonly good: Certificate;
  readonly expired: Certificate;
  readonly otherName: Certificate;
}

export async function createAuthority(): Promise<Authority> {
  const authority = await issue("Sealpost tests", { isAuthority: true });
  const ca = { key: authority.key, cert: authority.cert };
  const names = ["localhost", "receiver.example"];
  const addresses = ["127.0.0.1", "::1"];
  return {
    ca: authority.cert,
    good: await issue("receiver", { ca, names, addresses }),
    expired: await issue("expired", { ca, names, addresses, notAfter: new Date(Date.now() - 3_600_000) }),
    otherName: await issue("other", { ca, names: ["other.example"], addresses: [] }),
  };
}

interface IssueOptions {
  readonly isAuthority?: boolean;
  readonly ca?: Certificate;
  readonly names?: readonly string[];
  readonly addresses?: readonly string[];
  readonly notAfter?: Date;
}

async function issue(name: string, options: IssueOptions): Promise<Certificate> {
  const { isAuthority = false, ca, names = [], addresses = [], notAfter } = options;
  const { private: key, cert } = await generate([{ name: "commonName", value: name }], {
    keyType: "ec",
    algorithm: "sha256",
    notBeforeDate: new Date(Date.now() - 86_400_000),
    notAfterDate: notAfter ?? new Date(Date.now() + 86_400_000),
    ...(ca && { ca }),
    extensions: [
      { name: "basicConstraints", cA: isAuthority, critical: true },
      {
        name: "subjectAltName",
        altNames: [
          ...names.map((value) => ({ type: 2, value }) as const),
          ...addresses.map((ip) => ({ type: 7, ip }) as const),
        ],
      },
    ],
  });
  return { key, cert };
}

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Receiver {
  readonly port: number;
  /** `https://127.0.0.1:{port}/hook` */
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  /** How many connections were opened. */
  readonly connections: () => number;
}

export type Answer = (request: ReceivedRequest, response: ServerResponse<IncomingMessage>, count: number) => void;

export interface ReceiverOptions {
  readonly certificate: Certificate;
  readonly answer?: Answer;
  readonly host?: string;
  /** Takes the connection over before HTTP: for answers that no HTTP server would give. */
  readonly onConnection?: (socket: TLSSocket, count: number) => void;
}

/** A real HTTPS receiver on loopback, closed with the test. Answers 204 by default. */
export async function startReceiver(t: TestContext, options: ReceiverOptions): Promise<Receiver> {
  const { certificate, answer = (_request, response) => response.writeHead(204).end(), onConnection } = options;
  const { host = "127.0.0.1" } = options;
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const http = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("error", () => {});
    for await (const chunk of incoming) chunks.push(chunk);
    const { method = "", url = "", headers } = incoming;
    const request = { method, path: url, headers, body: Buffer.concat(chunks) };
    requests.push(request);
    answer(request, response, requests.length);
  });
  const server = createHttpsServer({ ...certificate, keepAliveTimeout: 60_000 });
  const sockets = new Set<TLSSocket>();
  server.removeAllListeners("secureConnection");
  server.on("secureConnection", (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    if (onConnection) onConnection(socket, connections);
    else http.emit("connection", socket);
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
    http.close();
  });
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    port,
    url: `https://${host.includes(":") ? `[${host}]` : host}:${port}/hook`,
    requests,
    connections: () => connections,
  };
}

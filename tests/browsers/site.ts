import { once } from "node:events";
import { type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Certificate } from "../../scripts/demo/certificate.ts";

/** Somebody's website, over HTTPS, on another origin than the service. */
export interface Site {
  readonly url: string;
  /** Puts a page at a path of its own and gives its address. */
  add(html: string, headers?: Readonly<Record<string, string>>): string;
  addScript(body: string): string;
  /** Requests for anything but these pages; where a form without its script would leave the answers. */
  readonly strays: readonly string[];
  /** The browser's reports of violations of the pages' policies. */
  readonly violations: readonly string[];
  /** Resolves with the next of these. */
  reported(): Promise<string>;
  close(): Promise<void>;
}

export async function startSite(certificate: Certificate): Promise<Site> {
  const pages = new Map<string, { readonly body: string; readonly headers: Readonly<Record<string, string>> }>();
  const strays: string[] = [];
  const violations: string[] = [];
  let report = Promise.withResolvers<string>();
  const server = await listen(certificate, async (asked, answer) => {
    const path = asked.url ?? "";
    const page = pages.get(path);
    if (path === "/violations") {
      const violation = await text(asked);
      // A strict policy keeps Firefox from the icon that it asks for by itself; that is not the page's doing.
      if (!violation.includes("favicon.ico")) {
        violations.push(violation);
        report.resolve(violation);
      }
    } else if (page === undefined && path !== "/favicon.ico") strays.push(`${asked.method} ${path}`);
    answer.writeHead(page ? 200 : 404, { "content-type": "text/html; charset=utf-8", ...page?.headers });
    answer.end(page?.body ?? "<!doctype html><title>Elsewhere</title>Elsewhere");
  });
  const url = addressOf(server);
  return {
    url,
    strays,
    violations,
    reported() {
      report = Promise.withResolvers();
      return report.promise;
    },
    add(html, headers = {}) {
      const path = `/${pages.size}`;
      pages.set(path, { body: `<!doctype html><html lang="en"><title>Site</title>${html}</html>`, headers });
      return url + path;
    },
    addScript(body) {
      const path = `/${pages.size}.js`;
      pages.set(path, { body, headers: { "content-type": "text/javascript; charset=utf-8" } });
      return url + path;
    },
    close: () => close(server),
  };
}

/** The way to the service over HTTPS: it can be closed, and it remembers what went through it. */
export interface Gate {
  readonly url: string;
  readonly posts: readonly string[];
  /** Those of `posts` that carry answers; a page that pins an old key says so in others. */
  readonly submissions: readonly string[];
  /** Changes what the service answers on its way to the browser. */
  alterAnswer: (body: string) => string;
  /** Nobody answers any more, as on a machine that is off. */
  down(): Promise<void>;
  up(): Promise<void>;
}

export async function startGate(certificate: Certificate, serviceUrl: string): Promise<Gate> {
  const [posts, submissions]: [string[], string[]] = [[], []];
  const handle = async (asked: IncomingMessage, answer: ServerResponse) => {
    const body = await text(asked);
    if (asked.method === "POST") posts.push(body);
    if (asked.method === "POST" && asked.url?.endsWith("/submissions")) submissions.push(body);
    const headers = { ...asked.headers, host: new URL(serviceUrl).host, "accept-encoding": "identity" };
    const through = request(serviceUrl + asked.url, { method: asked.method, headers }).end(body);
    const [honest] = (await once(through, "response")) as [IncomingMessage]; // what the event gives
    const { "content-length": _, ...others } = honest.headers;
    answer.writeHead(honest.statusCode ?? 502, others).end(gate.alterAnswer(await text(honest)));
  };
  let server = await listen(certificate, handle);
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const gate: Gate = {
    url: addressOf(server),
    posts,
    submissions,
    alterAnswer: (body) => body,
    down: () => close(server),
    async up() {
      server = await listen(certificate, handle, port);
    },
  };
  return gate;
}

type Handle = (asked: IncomingMessage, answer: ServerResponse) => Promise<void>;

async function listen(certificate: Certificate, handle: Handle, port = 0): Promise<Server> {
  const server = createHttpsServer(certificate, (asked, answer) => {
    handle(asked, answer).catch(() => answer.destroy());
  }).listen(port, "localhost");
  await once(server, "listening");
  return server;
}

function addressOf(server: Server): string {
  return `https://localhost:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

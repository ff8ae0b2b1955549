import { readFileSync } from "node:fs";
import {
  createServer,
  type IncomingMessage,
  request as requestService,
  type Server,
  type ServerResponse,
} from "node:http";
import { join } from "node:path";
import { createServer as createVite, type ViteDevServer } from "vite";
import { createViteConfig } from "../../packages/dashboard/vite-config.ts";
import type { DevDocumentation } from "./documentation.ts";

export interface Front {
  readonly vite: ViteDevServer;
  close(): Promise<void>;
}

export interface FrontOptions {
  readonly port: number;
  readonly servicePort: number;
  readonly documentation: DevDocumentation;
  /** Requests wait for it, so that a page does not notice a restart. */
  readonly whenReady: () => Promise<unknown>;
}

const index = join(import.meta.dirname, "..", "..", "packages", "dashboard", "index.html");

/**
 * One address for all: the dashboard's own modules come from Vite, which puts changes into the open page, the documents from
 * their build, and everything else from the service. Which address is a page of the dashboard is the service's word, as in production.
 */
export async function startFront(options: FrontOptions): Promise<Front> {
  const server = createServer((request, response) => void handle(request, response));
  const vite = await createVite({
    ...createViteConfig(),
    appType: "custom",
    logLevel: "warn",
    clearScreen: false,
    server: { middlewareMode: true, hmr: { server }, watch: { ignored: ["**/dist/**", "**/.dev/**"] } },
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (/^\/docs(?![\w-])/.test(request.url ?? "")) return options.documentation.handle(request, response);
    if (isNavigation(request)) return forward(request, response, options, (page, url) => transform(vite, page, url));
    vite.middlewares(request, response, () => void forward(request, response, options));
  }

  await listen(server, options.port);
  return {
    vite,
    async close() {
      await vite.close();
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "localhost", resolve));
}

function isNavigation({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && (headers.accept?.includes("text/html") ?? false);
}

/** The dashboard's page with the values that the service wrote into it and the scripts of Vite; `undefined` for another page. */
async function transform(vite: ViteDevServer, page: string, url: string): Promise<string | undefined> {
  const values = new Map<string, string>();
  for (const [, name = "", value = ""] of page.matchAll(/<meta name="(sealpost-[\w-]+)" content="([^"]*)"/g))
    values.set(name, value);
  if (values.size === 0) return undefined;
  const source = readFileSync(index, "utf8").replaceAll(
    /(<meta name="(sealpost-[\w-]+)" content=")([^"]*)"/g,
    (_, start: string, name: string, value: string) => `${start}${values.get(name) ?? value}"`,
  );
  return vite.transformIndexHtml(url, source);
}

async function forward(
  incoming: IncomingMessage,
  response: ServerResponse,
  { servicePort, whenReady }: FrontOptions,
  change?: (page: string, url: string) => Promise<string | undefined>,
): Promise<void> {
  const fail = (error: Error) => {
    if (response.headersSent) return void response.destroy();
    response
      .writeHead(503, { "content-type": "text/plain; charset=utf-8", "retry-after": "1" })
      .end(`${error.message}\n`);
  };
  try {
    await whenReady();
  } catch (error) {
    return fail(error as Error); // it rejects with errors only
  }
  const { method = "GET", url = "/", headers } = incoming;
  const outgoing = requestService({
    host: "localhost",
    port: servicePort,
    method,
    path: url,
    headers: change === undefined ? headers : { ...headers, "accept-encoding": "identity" },
  });
  outgoing.on("error", fail);
  outgoing.on("response", (answer) => {
    const isPage = answer.headers["content-type"]?.startsWith("text/html") ?? false;
    if (change === undefined || !isPage) {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      return void answer.pipe(response);
    }
    sendPage(answer, response, url, change).catch(fail);
  });
  response.on("close", () => outgoing.destroy());
  incoming.pipe(outgoing);
}

async function sendPage(
  answer: IncomingMessage,
  response: ServerResponse,
  url: string,
  change: (page: string, url: string) => Promise<string | undefined>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const page = Buffer.concat(chunks).toString();
  const changed = await change(page, url);
  const headers = { ...answer.headers };
  if (changed !== undefined) {
    // Vite's own scripts are inline, which the policy of the built page does not allow; tests hold that page to it.
    for (const name of ["content-security-policy", "content-length", "etag"]) delete headers[name];
  }
  response.writeHead(answer.statusCode ?? 502, headers).end(changed ?? page);
}

import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Certificate } from "../../scripts/demo/certificate.ts";
import { type Entry, readEntries } from "./posted-form.ts";

/** A request that is for none of the site's pages and files: what a browser, or a library, sent. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  /** The fields in the order in which they were sent, of an address for GET. */
  readonly entries: readonly Entry[];
  /** Whether the browser leaves the page for the answer (Fetch Metadata). */
  readonly isNavigation: boolean;
}

/** Somebody's website, whose own server takes the posts of its forms. */
export interface PageSite {
  readonly url: string;
  /** Puts a page at an address of its own, which ends with `query`. */
  add(html: string, page?: { readonly charset?: string | undefined; readonly query?: string | undefined }): string;
  /** Puts a script at an address of its own. */
  addScript(text: string): string;
  /** Serves the files of a folder under `/lib/`, besides those of the installed packages. */
  addLibrary(folder: string): void;
  readonly received: readonly Received[];
  /** Resolves when something has been received. */
  untilReceived(): Promise<void>;
  /** Forgets what was received. */
  reset(): void;
  close(): Promise<void>;
}

const root = join(import.meta.dirname, "../..");
const installed = join(root, "node_modules");
/** Where libraries put their scripts: `/lib/jquery/dist/jquery.js` is this package's file. */
const libraryPath = /^\/lib\/([\w@./-]+)$/;

/** `charset`: what the pages are written in, and their forms are posted in. */
interface SitePage {
  readonly body: Buffer;
  readonly charset: string;
  readonly type: string;
}

export async function startPageSite(certificate?: Certificate): Promise<PageSite> {
  const pages = new Map<string, SitePage>();
  const received: Received[] = [];
  const folders = [installed];
  let arrival = Promise.withResolvers<void>();
  const handle = async (asked: IncomingMessage, answer: ServerResponse) => {
    const { pathname, search } = new URL(asked.url ?? "", "http://site");
    const body = await buffer(asked);
    const library = libraryPath.exec(pathname)?.[1];
    const page = pages.get(pathname + search);
    if (pathname === "/favicon.ico" || pathname === "/settled" || pathname === "/after")
      return send(answer, 200, blank);
    const file = library?.includes("..")
      ? undefined
      : folders.map((folder) => join(folder, library ?? "?")).find(existsSync);
    if (file) return send(answer, 200, { body: await readFile(file), charset: "utf-8", type: typeOf(file) });
    if (page && asked.method === "GET") return send(answer, 200, page);
    const from = new URL(asked.headers.referer ?? "/", "http://site");
    const charset = pages.get(from.pathname + from.search)?.charset ?? "utf-8";
    const method = asked.method ?? "";
    const entries = readEntries(method === "POST" ? body : search.slice(1), asked.headers["content-type"], charset);
    const isNavigation = asked.headers["sec-fetch-mode"] === "navigate";
    received.push({ method, path: pathname, query: search, entries, isNavigation });
    arrival.resolve();
    // After a post the page that follows is fetched, which Turbo insists on.
    if (method === "GET") return send(answer, 200, blank);
    answer.writeHead(303, { location: "/after" }).end();
  };
  const listener = (asked: IncomingMessage, answer: ServerResponse) => {
    handle(asked, answer).catch((error) => answer.destroy(error));
  };
  const server: Server = certificate ? createHttpsServer(certificate, listener) : createServer(listener);
  await once(server.listen(0, "localhost"), "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  const url = `${certificate ? "https" : "http"}://localhost:${port}`;
  const put = (path: string, page: SitePage) => {
    pages.set(path, page);
    return url + path;
  };
  return {
    url,
    add(html, { charset = "utf-8", query = "" } = {}) {
      const text = `<!doctype html><html lang="en"><title>Site</title>${html}</html>`;
      const body = charset === "utf-8" ? Buffer.from(text) : encodeWindows1252(text);
      return put(`/page/${pages.size}${query}`, { body, charset, type: "text/html" });
    },
    addScript(text) {
      return put(`/script/${pages.size}.js`, { body: Buffer.from(text), charset: "utf-8", type: "text/javascript" });
    },
    addLibrary(folder) {
      folders.push(folder);
    },
    received,
    async untilReceived() {
      if (received.length === 0) await arrival.promise;
    },
    reset() {
      received.length = 0;
      arrival = Promise.withResolvers();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const blank: SitePage = {
  body: Buffer.from("<!doctype html><title>Elsewhere</title><p>Elsewhere</p>"),
  charset: "utf-8",
  type: "text/html",
};

function send(answer: ServerResponse, status: number, { body, charset, type }: SitePage): void {
  answer.writeHead(status, { "content-type": `${type}; charset=${charset}`, "cache-control": "no-store" }).end(body);
}

function typeOf(file: string): string {
  return file.endsWith(".css") ? "text/css" : "text/javascript";
}

/** The pages here use of it what Latin-1 has, and the euro sign. */
function encodeWindows1252(text: string): Buffer {
  return Buffer.from(text.replaceAll("€", "\u0080"), "latin1");
}

import { createZstd } from "./zstd.ts";

/** The headers of somebody's browser. Each instance of it asks over connections of its own. */
export interface Browser {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
}

const compressed = "gzip, deflate, br";
const newest = createZstd === undefined ? compressed : `${compressed}, zstd`;

/** As whom an instance is asked: usual browsers in several languages, and a program. */
export const browsers: readonly Browser[] = [
  {
    name: "Chrome on Windows",
    headers: {
      "user-agent":
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
      "accept-language": "en-US,en;q=0.9",
      "accept-encoding": newest,
    },
  },
  {
    name: "Firefox on Linux",
    headers: {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
      "accept-language": "de,en-US;q=0.7,en;q=0.3",
      "accept-encoding": compressed,
    },
  },
  {
    name: "Safari on an iPhone",
    headers: {
      "user-agent":
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1",
      "accept-language": "fr-FR,fr;q=0.9",
      "accept-encoding": "gzip",
    },
  },
  {
    name: "Chrome on Android",
    headers: {
      "user-agent":
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
      "accept-language": "pt-BR,pt;q=0.9,en;q=0.8",
      "accept-encoding": newest,
    },
  },
  { name: "a program", headers: { "user-agent": "curl/8.14.1", "accept-encoding": "identity" } },
];

/** A browser that is not in the list, by its `User-Agent`. */
export function createBrowser(userAgent: string): Browser {
  const headers = { "user-agent": userAgent, "accept-language": "en", "accept-encoding": compressed };
  return { name: userAgent, headers };
}

const purposes = {
  page: {
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    destination: "document",
    mode: "navigate",
  },
  file: { accept: "*/*", destination: "script", mode: "cors" },
  data: { accept: "*/*", destination: "empty", mode: "cors" },
} as const;

/** The headers that a browser asks with for a page, for a file of it, or for data; with `origin` from a page of that origin. */
export function createHeaders(
  browser: Browser,
  purpose: keyof typeof purposes,
  origin?: string,
): Record<string, string> {
  const { accept, destination, mode } = purposes[purpose];
  const site = purpose === "page" ? "none" : origin === undefined ? "same-origin" : "cross-site";
  return {
    ...browser.headers,
    accept,
    ...(origin !== undefined && { origin }),
    "sec-fetch-dest": destination,
    "sec-fetch-mode": mode,
    "sec-fetch-site": site,
  };
}

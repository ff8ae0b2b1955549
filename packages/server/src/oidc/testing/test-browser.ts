import assert from "node:assert/strict";
import type { TestService } from "../../testing/test-service.ts";

/** As much of a browser as a sign-in needs: cookies of each origin, and redirects that it follows. */
export interface TestBrowser {
  /** The cookies of an origin, as a header. */
  cookiesOf(origin: string): string;
  /** Goes to an address and follows every redirect, but none to `until`. Gives the last answer's address. */
  go(address: string, until?: RegExp): Promise<URL>;
  /** A request by a page of the service. */
  post(path: string, body?: object, method?: string): Promise<{ readonly status: number; readonly body: Answer }>;
  /** Begins a sign-in and goes to the provider and back; the address of the page at the end. */
  signIn(body?: object, path?: string): Promise<URL>;
  /** The same, but stops before the provider's answer reaches the service: its address. */
  fetchAnswer(body?: object, path?: string): Promise<URL>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests assert on the members
type Answer = any;

const callback = /\/api\/auth\/oidc\/callback/;

export function createTestBrowser(service: Pick<TestService, "url">): TestBrowser {
  const jar = new Map<string, Map<string, string>>();
  const cookiesOf = (origin: string) =>
    Array.from(jar.get(origin) ?? [], ([name, value]) => `${name}=${value}`).join("; ");

  async function send(address: URL | string, init: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(address);
    const headers = { ...Object(init.headers), cookie: cookiesOf(origin) };
    const response = await fetch(address, { ...init, headers, redirect: "manual" });
    const cookies = jar.get(origin) ?? new Map<string, string>();
    jar.set(origin, cookies);
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === "" || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  }

  async function go(address: string, until?: RegExp): Promise<URL> {
    let url = new URL(address);
    for (let hops = 0; hops < 12; hops++) {
      if (until?.test(url.href)) return url;
      const response = await send(url, { headers: { accept: "text/html" } });
      const location = response.headers.get("location");
      await response.arrayBuffer();
      if (location === null) return url;
      url = new URL(location, url);
    }
    throw new Error(`Redirected too often, to ${url.pathname} at last`);
  }

  async function post(path: string, body: object = {}, method = "POST") {
    const isRead = method === "GET";
    const response = await send(`${service.url}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(isRead ? { "sec-fetch-site": "same-origin" } : { origin: service.url }),
      },
      ...(!isRead && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  }

  async function begin(body: object, path: string): Promise<string> {
    const begun = await post(path, body);
    assert.equal(begun.status, 200, JSON.stringify(begun.body));
    // The provider asks again who is there, so that the test says who it is.
    for (const origin of jar.keys()) if (origin !== new URL(service.url).origin) jar.delete(origin);
    return begun.body.url;
  }

  const signInPath = "/api/auth/oidc/sign-in";
  return {
    ...{ cookiesOf, go, post },
    signIn: async (body = {}, path = signInPath) => go(await begin(body, path)),
    fetchAnswer: async (body = {}, path = signInPath) => go(await begin(body, path), callback),
  };
}

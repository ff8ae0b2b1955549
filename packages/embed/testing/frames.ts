import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Browser, Page } from "playwright-core";
import type { TestService } from "./service.ts";

/** The outcome of one page: a frame, so that many share a load of the browser. */
export interface Outcome {
  readonly name: string;
  /** The state of its form, or "alert", "left" (another page is in the frame) or "nothing". */
  readonly state: string;
  /** All that a visitor can read, alerts included. */
  readonly said: string;
  /** The bodies of its submissions. */
  readonly posts: readonly string[];
  /** Its requests that name what was typed. */
  readonly plain: readonly string[];
}

export interface FramedPage {
  readonly name: string;
  /** `endpoint`: the service, under an address of this page alone. */
  readonly html: (endpoint: string) => string;
}

/** Somebody's website whose pages are frames of one, with the service under addresses of its own. */
export interface Frames {
  readonly page: Page;
  /** Opens the pages, presses the first button of each and waits until something has become of each. `typed`: in what is typed alone. */
  press(pages: readonly FramedPage[], typed: string): Promise<readonly Outcome[]>;
  /** Built-ins watched by `record` that the last pages have called. */
  readonly called: readonly string[];
  close(): Promise<void>;
}

export async function startFrames(browser: Pick<Browser, "newContext">, service: TestService): Promise<Frames> {
  let pages: readonly FramedPage[] = [];
  let called: readonly string[] = [];
  const asked: { readonly frame: number; readonly path: string; readonly body: string }[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? "";
    const body = await text(request);
    const [, kind, number] = path.split(/[/?]/);
    const frame = Number(number);
    if (kind === "page" || kind === "at") asked.push({ frame, path, body });
    if (kind === "at") {
      const type = request.headers["content-type"];
      if (path.endsWith("/submissions") && request.method === "POST" && !isSealed(body)) {
        response.writeHead(400, { "content-type": "application/json" }).end('{"error":"bad_request"}');
        return;
      }
      const answer = await fetch(service.url + path.replace(/^\/at\/\d+/, ""), {
        method: request.method ?? "GET",
        ...(body && { body, headers: { "content-type": type ?? "" } }),
      });
      response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
      response.end(Buffer.from(await answer.arrayBuffer()));
      return;
    }
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    const prepared = `<!doctype html><html lang="en"><title>Page</title><script>window.alert = (text) => parent.alerts[${frame}] = text</script>`;
    response.end(
      kind === "page"
        ? `${prepared}${pages[frame]?.html(`${url}/at/${frame}`)}`
        : "<!doctype html><title>Frames</title>",
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const { port } = server.address() as AddressInfo; // a TCP server that listens
  const url = `http://localhost:${port}`;
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);

  return {
    page,
    get called() {
      return called;
    },
    async press(some, typed) {
      pages = some;
      asked.length = 0;
      const { results: states, called: names } = await page.evaluate(pressAll, some.length);
      called = names;
      // By then all that was still under way has arrived.
      await page.goto(url);
      return states.map(({ state, said }, frame) => {
        const own = asked.filter((one) => one.frame === frame);
        return {
          name: some[frame]?.name ?? "",
          state,
          said,
          posts: own.filter(({ path }) => path.endsWith("/submissions")).map(({ body }) => body),
          plain: own.map((one) => one.path + one.body).filter((words) => words.includes(typed)),
        };
      });
    },
    async close() {
      await context.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Like the service (submission.ts of the server), takes texts of base64, of the lengths that sealing gives. */
function isSealed(body: string): boolean {
  const { payload } = JSON.parse(body);
  const bytesOf = (value: unknown) => (typeof value === "string" ? Buffer.from(value, "base64").length : 0);
  return bytesOf(payload.data) >= 1024 + 16 && bytesOf(payload.key) >= 256 && bytesOf(payload.iv) === 12;
}

/** In the page around the frames, whose own functions nobody has replaced: it reads and presses with these. */
async function pressAll(count: number): Promise<{ results: { state: string; said: string }[]; called: string[] }> {
  const alerts: Record<number, string> = {};
  const called: Record<string, boolean> = {};
  Object.assign(window, { alerts, called });
  const read = Object.getOwnPropertyDescriptor(Node.prototype, "textContent")?.get as () => string;
  const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const query = (document: Document, selector: string) => Document.prototype.querySelector.call(document, selector);
  const attribute = (element: Element | null, name: string) =>
    element && Element.prototype.getAttribute.call(element, name);

  async function press(number: number) {
    const frame = document.createElement("iframe");
    const loaded = new Promise((resolve) => frame.addEventListener("load", resolve, { once: true }));
    frame.src = `/page/${number}/`;
    document.body.append(frame);
    await Promise.race([loaded, sleep(20_000)]);
    const own = frame.contentDocument as Document;
    const button = query(own, "button");
    if (button) HTMLElement.prototype.click.call(button);
    let until = performance.now() + 6000;
    const end = performance.now() + 40_000;
    let state = "nothing";
    while (state === "nothing" && performance.now() < Math.min(until, end)) {
      await sleep(30);
      const { search } = (frame.contentWindow as Window).location;
      const form = attribute(query(own, "form"), "data-sealpost-state") ?? "";
      if (search || frame.contentDocument !== own) state = "left";
      else if (form === "sending")
        until = performance.now() + 6000; // it is slow, or says so for ever: then the test ends it
      else if (/^(sent|error|waiting)$/.test(form)) state = form;
      else if (alerts[number] !== undefined) state = "alert";
    }
    const alert = alerts[number] ?? "";
    const words = read.call(own.body);
    // Without its question before it is left.
    frame.remove();
    return { state, said: `${alert} ${words}`.replace(/\s+/g, " ").trim() };
  }

  const results: { state: string; said: string }[] = [];
  const numbers = Array.from({ length: count }, (_, index) => index);
  const work = async () => {
    for (let number = numbers.shift(); number !== undefined; number = numbers.shift())
      results[number] = await press(number);
  };
  await Promise.all(Array.from({ length: 8 }, work));
  return { results, called: Object.keys(called) };
}

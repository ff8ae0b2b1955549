import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Driver, Engine } from "./driver.ts";
import { createFolder, findProgram, outputOf, run } from "./processes.ts";

/** The installed Firefox, or the one that FIREFOX_PATH names. It speaks WebDriver BiDi by itself. */
export function findFirefox(): Engine | undefined {
  const wished = process.env.FIREFOX_PATH;
  const program = findProgram(
    wished ? [wished] : ["firefox", "firefox-esr", "/Applications/Firefox.app/Contents/MacOS/firefox"],
  );
  const version = program && /Firefox (\S+)/.exec(outputOf(program, ["--version"]))?.[1];
  if (wished && !version) throw new Error(`FIREFOX_PATH is ${wished}, and that is no Firefox that runs here`);
  if (!program || !version) return undefined;
  return { name: "Firefox", version, start: () => start(program) };
}

async function start(program: string): Promise<Driver> {
  const folder = await createFolder();
  const [profile, downloads] = [join(folder.path, "profile"), join(folder.path, "downloads")];
  await Promise.all([mkdir(profile), mkdir(downloads)]);
  const preferences = {
    "browser.download.dir": downloads,
    "browser.download.folderList": 2,
    // An automated Firefox keeps no page alive for "Back"; that of a visitor does.
    "fission.bfcacheInParent": true,
    "browser.aboutwelcome.enabled": false,
    "services.settings.server": "http://127.0.0.1:1",
  };
  await writeFile(
    join(profile, "user.js"),
    Object.entries(preferences)
      .map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`)
      .join(""),
  );
  const running = run(program, ["--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"], {
    HOME: folder.path,
  });
  const [, address] = await running.line(/WebDriver BiDi listening on (ws:\S+)/);
  const connection = await connect(`${address}/session`);
  await connection.send("session.new", {
    capabilities: { alwaysMatch: { acceptInsecureCerts: true, unhandledPromptBehavior: { default: "accept" } } },
  });
  // A tab of our own: the first one may be a page of the browser itself, which runs nobody's scripts.
  const { context } = await connection.send<{ context: string }>("browsingContext.create", { type: "tab" });

  async function evaluate(expression: string, resultOwnership: "none" | "root" = "none"): Promise<Evaluated["result"]> {
    const evaluated = await connection.send<Evaluated>("script.evaluate", {
      expression,
      target: { context },
      awaitPromise: true,
      resultOwnership,
    });
    if (evaluated.type === "exception") throw new Error(evaluated.exceptionDetails?.text);
    return evaluated.result;
  }

  return {
    downloads,
    async navigate(url) {
      await connection.send("browsingContext.navigate", { context, url, wait: "complete" });
    },
    async evaluate(expression) {
      const result = await evaluate(expression);
      return typeof result?.value === "string" ? result.value : undefined;
    },
    async perform(source) {
      await connection.send("input.performActions", { context, actions: [source] });
    },
    async choose(selector, files) {
      const element = await evaluate(`document.querySelector(${JSON.stringify(selector)})`, "root");
      await connection.send("input.setFiles", { context, element: { sharedId: element?.sharedId }, files });
    },
    async close() {
      connection.close();
      await running.stop();
      await folder.remove();
    },
  };
}

interface Evaluated {
  readonly type: "success" | "exception";
  readonly result?: { readonly value?: unknown; readonly sharedId?: string };
  readonly exceptionDetails?: { readonly text: string };
}

interface Connection {
  send<Result = unknown>(method: string, params: object): Promise<Result>;
  close(): void;
}

/** WebDriver BiDi: commands with a number go out, answers with the same number come back. */
async function connect(url: string): Promise<Connection> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let count = 0;
  socket.addEventListener("message", ({ data }) => {
    const answer = JSON.parse(String(data)) as { id?: number; result?: never; error?: string; message?: string }; // BiDi, section 2
    const command = waiting.get(answer.id ?? 0);
    waiting.delete(answer.id ?? 0);
    if (answer.error === undefined)
      command?.resolve(answer.result as never); // what the command's definition says
    else command?.reject(new Error(`${answer.error}: ${answer.message}`));
  });
  socket.addEventListener("close", () => {
    for (const { reject } of waiting.values()) reject(new Error("Firefox hung up"));
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error("Firefox does not answer")));
  });
  return {
    send(method, params) {
      const id = ++count;
      const command = Promise.withResolvers<never>();
      waiting.set(id, command);
      socket.send(JSON.stringify({ id, method, params }));
      return command.promise;
    },
    close: () => socket.close(),
  };
}

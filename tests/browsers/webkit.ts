import { globSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Driver, Engine } from "./driver.ts";
import { createFolder, findPort, findProgram, run } from "./processes.ts";

interface Programs {
  readonly driver: string;
  readonly browser: string;
  /** WebKit has no headless mode: it draws on a screen in memory. */
  readonly screen: string;
}

/** WebKitGTK: the engine of Safari, with GTK around it. Debian and Ubuntu have it as `webkit2gtk-driver`, and `xvfb`. */
export async function findWebKit(): Promise<Engine | undefined> {
  const driver = findProgram(["WebKitWebDriver"]);
  const browser = globSync("/usr/{lib,libexec,lib64}{,/*}/webkit{2gtk,gtk}-*/MiniBrowser").sort().at(-1);
  const screen = findProgram(["Xvfb"]);
  if (!driver || !browser || !screen) return undefined;
  const programs = { driver, browser, screen };
  const probe = await start(programs);
  await probe.close();
  return { name: "WebKit", version: probe.version, start: () => start(programs) };
}

async function start({ driver, browser, screen }: Programs): Promise<Driver & { readonly version: string }> {
  const folder = await createFolder();
  const downloads = join(folder.path, "downloads");
  await Promise.all([mkdir(downloads), mkdir(join(folder.path, "config"))]);
  await writeFile(join(folder.path, "config", "user-dirs.dirs"), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  const display = run(screen, ["-displayfd", "3", "-screen", "0", "1280x900x24", "-nolisten", "tcp"]);
  const port = await findPort();
  const [number] = await display.line(/^\d+$/m);
  const running = run(driver, [`--port=${port}`], {
    DISPLAY: `:${number}`,
    WAYLAND_DISPLAY: undefined,
    GDK_BACKEND: "x11",
    HOME: folder.path,
    XDG_CONFIG_HOME: join(folder.path, "config"),
  });
  const url = `http://127.0.0.1:${port}`;
  await untilAnswers(`${url}/status`);
  const options = { "webkitgtk:browserOptions": { binary: browser, args: ["--automation"] } };
  const { sessionId, capabilities } = await command<{ sessionId: string; capabilities: { browserVersion: string } }>(
    "POST",
    `${url}/session`,
    {
      capabilities: {
        alwaysMatch: {
          acceptInsecureCerts: true,
          unhandledPromptBehavior: "accept",
          timeouts: { script: 120_000 },
          ...options,
        },
      },
    },
  );
  const session = `${url}/session/${sessionId}`;

  return {
    version: capabilities.browserVersion,
    downloads,
    async navigate(address) {
      await command("POST", `${session}/url`, { url: address });
    },
    async evaluate(expression) {
      const value = await command<unknown>("POST", `${session}/execute/sync`, {
        script: `return (${expression})`,
        args: [],
      });
      return typeof value === "string" ? value : undefined;
    },
    async perform(source) {
      await command("POST", `${session}/actions`, { actions: [source] });
    },
    async choose(selector, files) {
      const element = await command<Readonly<Record<string, string>>>("POST", `${session}/element`, {
        using: "css selector",
        value: selector,
      });
      await command("POST", `${session}/element/${Object.values(element)[0]}/value`, { text: files.join("\n") });
    },
    async close() {
      // A page that crashed has ended the session itself; what was started is stopped all the same.
      await command("DELETE", session).catch(() => undefined);
      await running.stop();
      await display.stop();
      await folder.remove();
    },
  };
}

/** One WebDriver command. */
async function command<Result = unknown>(method: string, url: string, body?: object): Promise<Result> {
  const answer = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) });
  const { value } = (await answer.json()) as { value: Result & { error?: string; message?: string } }; // WebDriver, section 6
  if (!answer.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

/** The driver says nothing when it listens, so it is asked until it answers. */
async function untilAnswers(url: string): Promise<void> {
  const end = Date.now() + 10_000;
  for (;;) {
    const isThere = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isThere) return;
    if (Date.now() > end) throw new Error("WebKitWebDriver does not answer");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

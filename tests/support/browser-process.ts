import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type Browser, type BrowserContext, chromium, errors } from "playwright-core";
import { chromiumAdvice, featuresOff, findChromium } from "./chromium.ts";

/** A browser with a profile on the disk, as a process of its own that a test may kill. */
export interface BrowserProcess {
  /** The context of the profile: its cookies and its storage outlast the process. */
  readonly context: BrowserContext;
  /** SIGKILL for the browser and all of its processes, and waits until it is gone. */
  kill(): Promise<void>;
}

/**
 * Starts Chromium on a profile's folder, which it makes where there is none. A Chromium that listens and then answers nothing, as
 * happens on a busy machine once in some hundred starts, is killed and started a second time.
 */
export async function startBrowserProcess(profileFolder: string): Promise<BrowserProcess> {
  try {
    return await startOnce(profileFolder);
  } catch (error) {
    if (!(error instanceof errors.TimeoutError)) throw error;
    return startOnce(profileFolder);
  }
}

async function startOnce(profileFolder: string): Promise<BrowserProcess> {
  const executable = findChromium({ prefersShell: true });
  if (executable === undefined) throw new Error(chromiumAdvice);
  const child = spawn(
    executable,
    [
      "--headless",
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      `--user-data-dir=${profileFolder}`,
      "--remote-debugging-port=0",
      `--disable-features=${featuresOff.join(",")}`,
      "--disable-gpu",
      "--disable-dev-shm-usage",
      "--disable-breakpad",
      "--no-first-run",
      "--no-default-browser-check",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--use-mock-keychain",
      "--password-store=basic",
    ],
    // A group of its own, so that one signal reaches each of its processes.
    { stdio: ["ignore", "ignore", "pipe"], detached: true },
  );
  const gone = once(child, "exit");
  const kill = async () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) killGroup(child.pid);
    await gone;
  };
  let browser: Browser;
  try {
    browser = await chromium.connectOverCDP(await findDevTools(child));
  } catch (error) {
    await kill();
    throw error;
  }
  const [context] = browser.contexts();
  if (context === undefined) throw new Error("The browser has no profile");
  context.setDefaultTimeout(60_000);
  return {
    context,
    async kill() {
      await kill();
      await browser.close().catch(() => undefined); // the connection, whose other end is gone
    },
  };
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** The address that Chromium prints once it listens. */
function findDevTools(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      text = (text + chunk).slice(-16_384);
      const address = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", (code) => reject(new Error(`The browser ended with ${code} before it listened:\n${text}`)));
    child.once("error", reject);
  });
}

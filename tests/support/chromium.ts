import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** Advice for a machine where no Chromium was found and none could be installed. */
export const chromiumAdvice =
  "No Chromium for the tests: install Chromium or Google Chrome, or set CHROMIUM_PATH to its executable.";

/**
 * What no page needs. Each window of a browser starts a second page for the suggestions under its address bar, the two that
 * are called "WebUI": without them a test's page costs 0.3 s of processor time in place of 0.8 s (Chromium 156). A spare
 * renderer is one more process for each, and a tenth of what is left. The others are Playwright's, repeated because Chromium
 * obeys only the last list that it is given.
 */
export const featuresOff = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AimEnabled",
  "SpareRendererForSitePerProcess",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "LensOverlay",
  "MediaRouter",
  "NetworkTimeServiceQuerying",
  "OptimizationHints",
  "PaintHolding",
  "PreconnectToSearch",
  "TcpPortRandomizationWin",
  "ThirdPartyStoragePartitioning",
  "msEdgeUpdateLaunchServicesPreferredVersion",
  "msForceBrowserSignIn",
];

export interface BrowserChoice {
  /**
   * Chromium's own headless shell before the whole browser: the same engine without windows, menus and their services, with
   * which the tests cost a quarter less. Not where something is measured or shown as visitors have it.
   */
  readonly prefersShell?: boolean;
  /** A file (Y4M) that stands before the camera of every page, which asks nobody. It is read when a page turns the camera on. */
  readonly camera?: string;
  /** Pages stay alive for "Back", as a visitor's do: Playwright turns that off. */
  readonly keepsPages?: boolean;
}

const found = new Map<boolean, string | undefined>();

/**
 * The executable of a Chromium that runs on this machine: CHROMIUM_PATH, then the usual places, then `PATH`, then the one
 * that Playwright installed. Throws when CHROMIUM_PATH names something that does not run, because a wrong wish should not
 * be overruled in silence.
 */
export function findChromium({ prefersShell = false }: BrowserChoice = {}): string | undefined {
  const wished = process.env.CHROMIUM_PATH;
  if (wished && !runs(wished)) throw new Error(`CHROMIUM_PATH is ${wished}, and that is no browser that runs here`);
  if (wished) return wished;
  const known = found.get(prefersShell);
  if (known !== undefined) return known;
  const whole = [...usualPlaces(names), ...placesOnPath(names), chromium.executablePath()];
  const shells = [...usualPlaces([shell]), ...placesOnPath([shell])];
  found.set(prefersShell, (prefersShell ? [...shells, ...whole] : [...whole, ...shells]).find(runs));
  return found.get(prefersShell);
}

/** A headless browser that talks to nobody but the pages it is given. The caller closes it. */
export async function launchBrowser(choice?: BrowserChoice): Promise<Browser> {
  const executablePath = findChromium(choice);
  if (executablePath === undefined) throw new Error(chromiumAdvice);
  return chromium.launch({
    executablePath,
    headless: true,
    ...(choice?.keepsPages && { ignoreDefaultArgs: ["--disable-back-forward-cache"] }),
    args: [
      // Chromium refuses its sandbox to root, who runs most containers.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      ...(choice?.camera === undefined ? [] : cameraArguments(choice.camera)),
      `--disable-features=${featuresOff.join(",")}`,
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

const cameraArguments = (file: string) => [
  "--use-fake-ui-for-media-stream",
  "--use-fake-device-for-media-stream",
  `--use-file-for-fake-video-capture=${file}`,
];

const shell = "chromium-headless-shell";
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];

function usualPlaces(wanted: readonly string[]): string[] {
  if (process.platform === "darwin")
    return ["Google Chrome", "Chromium", "Microsoft Edge"].map((name) =>
      join("/Applications", `${name}.app`, "Contents/MacOS", name),
    );
  if (process.platform === "win32")
    return ["PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"]
      .map((variable) => process.env[variable])
      .filter((folder) => folder !== undefined)
      .flatMap((folder) => [
        join(folder, "Google/Chrome/Application/chrome.exe"),
        join(folder, "Chromium/Application/chrome.exe"),
        join(folder, "Microsoft/Edge/Application/msedge.exe"),
      ]);
  return ["/usr/bin", "/usr/local/bin", "/opt/google/chrome"].flatMap((folder) =>
    wanted.map((name) => join(folder, name)),
  );
}

function placesOnPath(wanted: readonly string[]): string[] {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.flatMap((folder) => wanted.map((name) => join(folder, name + suffix)));
}

/** Whether the file starts: Ubuntu has a `chromium-browser` that only advertises a snap, and libraries may be missing. */
function runs(path: string): boolean {
  if (!existsSync(path)) return false;
  if (process.platform === "win32") return true; // there `--version` opens a window
  return spawnSync(path, ["--version"], { stdio: "ignore", timeout: 30_000 }).status === 0;
}

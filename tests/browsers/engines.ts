import { findChromium } from "../support/chromium.ts";
import { findChromiumEngine, startWholeChromium } from "./chromium.ts";
import type { Engine } from "./driver.ts";
import { findFirefox } from "./firefox.ts";
import { findWebKit } from "./webkit.ts";

/**
 * The browsers that run here: every check runs in each of them, and a check that leaves one out says why next to its filter. Says which
 * there are and which not; throws if there is none.
 */
export async function findEngines(): Promise<readonly Engine[]> {
  const [chromium, firefox, webkit] = [await findWholeChromium(), findFirefox(), await findWebKit()];
  console.log(
    chromium ? `Chromium ${chromium.version}` : "NOT TESTED in Chromium: install it, or name it in CHROMIUM_PATH",
  );
  console.log(firefox ? `Firefox ${firefox.version}` : "NOT TESTED in Firefox: install it, or name it in FIREFOX_PATH");
  console.log(webkit ? `WebKitGTK ${webkit.version}` : "NOT TESTED in WebKit: install webkit2gtk-driver and xvfb");
  const engines = [chromium, firefox, webkit].filter((engine) => engine !== undefined);
  if (engines.length === 0) throw new Error("No browser to test in");
  return engines;
}

async function findWholeChromium(): Promise<Engine | undefined> {
  return findChromium() === undefined ? undefined : { ...(await findChromiumEngine()), start: startWholeChromium };
}

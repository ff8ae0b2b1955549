import type { Engine } from "./driver.ts";
import { findFirefox } from "./firefox.ts";
import { findWebKit } from "./webkit.ts";

/** The browsers besides Chromium that run here. Says which there are and which not; throws if there is none. */
export async function findEngines(): Promise<readonly Engine[]> {
  const [firefox, webkit] = [findFirefox(), await findWebKit()];
  console.log(firefox ? `Firefox ${firefox.version}` : "NOT TESTED in Firefox: install it, or name it in FIREFOX_PATH");
  console.log(webkit ? `WebKitGTK ${webkit.version}` : "NOT TESTED in WebKit: install webkit2gtk-driver and xvfb");
  const engines = [firefox, webkit].filter((engine) => engine !== undefined);
  if (engines.length === 0) throw new Error("No browser to test in");
  return engines;
}

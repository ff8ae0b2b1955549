import { after } from "node:test";
import { shareBrowser } from "../../../tests/support/shared-browser.ts";
import { launchTestBrowser, startSite, type TestSite } from "./browser.ts";
import { startService, type TestService } from "./service.ts";

/** The environment of a test file: the service, and somebody's website in a browser; closed after its last test. */
export async function startSiteAndService(): Promise<{ readonly service: TestService; readonly site: TestSite }> {
  const [browser, service] = await Promise.all([shareBrowser(launchTestBrowser), startService()]);
  const site = await startSite(browser);
  after(async () => {
    await site.close();
    await service.close();
    await browser.close();
  });
  return { service, site };
}

/**
 * `node --conditions=@sealpost/source scripts/screenshots/form-style.ts`: pictures of the form to start from with the
 * stylesheet, light and dark, into docs/images.
 */

import { join } from "node:path";
import { embedCode, startSite, styleTag, untilState } from "../../packages/embed/testing/browser.ts";
import { startService } from "../../packages/embed/testing/service.ts";
import { launchBrowser } from "../../tests/support/chromium.ts";

const folder = join(import.meta.dirname, "..", "..", "docs", "images");
const [browser, service] = await Promise.all([launchBrowser(), startService()]);
const site = await startSite(browser);
try {
  const page = await site.open(`<meta name="color-scheme" content="light dark"><style>
    body { margin: 0; padding: 20px; inline-size: 360px; font-family: sans-serif }
    @media (prefers-color-scheme: dark) { body { background: #0f1312 } }
  </style>${styleTag(service)}
  <form method="dialog" class="sealpost-form">
    <p><label>Email <input name="email" type="email" required value="ada@example.com"></label></p>
    <p><label>Message <textarea name="message" required>Do you also repair bicycles from before 1950?</textarea></label></p>
    <p><button data-sealpost-submit disabled>Send</button></p>
    <p data-sealpost-success></p>
    <p data-sealpost-error></p>
  </form>${embedCode(service, { resetOnSuccess: false })}`);
  await page.setViewportSize({ width: 400, height: 100 });
  await page.getByRole("button").click();
  await untilState(page, "sent");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `form-style-${colorScheme}.png`), fullPage: true });
  }
} finally {
  await site.close();
  await service.close();
  await browser.close();
}

import { launchBrowser } from "../../tests/support/chromium.ts";
import { loadForm, submit } from "../seed/submit.ts";

const answers = {
  name: "Zoë Müller",
  email: "zoe@example.com",
  topics: ["hours", "safety"],
  message: "The night shift has had no first-aider since May. Who may I talk to? 🙏",
};

/** Fills the page's form in a real browser and presses its button; returns when the page says that it was sent. */
export async function submitInBrowser(pageUrl: string, screenshot?: string): Promise<void> {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 720, height: 800 }, deviceScaleFactor: 1.5 });
    await page.goto(pageUrl);
    await page.fill("#name", answers.name);
    await page.fill("#email", answers.email);
    for (const topic of answers.topics) await page.check(`input[value=${topic}]`);
    await page.fill("#message", answers.message);
    if (screenshot !== undefined) await page.screenshot({ path: screenshot, fullPage: true });
    await page.getByRole("button", { name: "Send sealed" }).click();
    await page.getByRole("status").filter({ hasText: "Thank you" }).waitFor();
  } finally {
    await browser.close();
  }
}

/** The same submission without a browser: what the embed does, by the same `seal`. */
export async function submitFromNode(serviceUrl: string, formId: string): Promise<void> {
  await submit(serviceUrl, await loadForm(serviceUrl, formId), answers);
}

import {
  generatePersonalKey,
  generateSheet,
  type PersonalKey,
  type RecoverySheet,
  sealKeyCopy,
} from "@sealpost/envelope";
import { encodeBase64Url } from "@sealpost/wire";
import type { Page } from "playwright-core";

export interface MadePersonalKey {
  readonly key: PersonalKey;
  readonly sheet: RecoverySheet;
  /** The body of the request that stores it. */
  readonly body: object;
}

/** All of this process; no service may ever get a part of one. */
export const madeKeys: Pick<MadePersonalKey, "key" | "sheet">[] = [];

/** A personal key with a sheet that opens it: far cheaper than a passphrase. */
export async function makePersonalKey(): Promise<MadePersonalKey> {
  const [key, sheet] = await Promise.all([generatePersonalKey(), generateSheet("personal")]);
  madeKeys.push({ key, sheet });
  const file = encodeBase64Url(await sealKeyCopy(key, { recipient: sheet.recipient }));
  const { recipient, signingKey } = key;
  return { key, sheet, body: { recipient, signingKey, copies: [{ way: "sheet", name: "Sheet", file }] } };
}

/** Types the sheet where a page asks for it. */
export async function unlockWithSheet(page: Page, { lines }: RecoverySheet): Promise<void> {
  await page.getByLabel("Line 1").fill(lines.join(" "));
  await page.getByRole("button", { name: "Unlock", exact: true }).click();
}

/** Words and sheet that a person has on paper after making a key. */
export interface KeptPaper {
  readonly words: string;
  readonly lines: readonly string[];
}

/**
 * Goes through the making of a key in the dashboard, from its six words to its end. `onPaper` is called when the person has both on paper, and nothing
 * was sent.
 */
export async function holdCeremony(page: Page, onPaper?: (paper: KeptPaper) => void): Promise<KeptPaper> {
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const given = page.getByRole("list", { name: "Your six words" }).getByRole("listitem");
  await given.nth(5).waitFor();
  const words = (await given.allInnerTexts()).join(" ");
  await button("I have kept them").click();
  await page.getByLabel("Six words", { exact: true }).fill(words);
  await page.keyboard.press("Enter");
  await page.getByText("No printer? Write the four lines down").click();
  const items = await page.getByTestId("sheet-lines").first().getByRole("listitem").allInnerTexts();
  const lines = items.map((line) => line.trim());
  onPaper?.({ words, lines });
  await button("I have the sheet on paper").click();
  for (const [index, line] of lines.entries()) await page.getByLabel(`Line ${index + 1}`).fill(line);
  await page.keyboard.press("Enter");
  await button("Keep my key").click();
  await page.getByRole("heading", { name: "Your key is ready", exact: true }).waitFor();
  return { words, lines };
}

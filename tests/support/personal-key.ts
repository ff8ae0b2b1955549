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

/** A personal key with a sheet that opens it: far cheaper than a passphrase. */
export async function makePersonalKey(): Promise<MadePersonalKey> {
  const [key, sheet] = await Promise.all([generatePersonalKey(), generateSheet("personal")]);
  const file = encodeBase64Url(await sealKeyCopy(key, { recipient: sheet.recipient }));
  const { recipient, signingKey } = key;
  return { key, sheet, body: { recipient, signingKey, copies: [{ way: "sheet", name: "Sheet", file }] } };
}

/** Types the sheet where a page asks for it. */
export async function unlockWithSheet(page: Page, { lines }: RecoverySheet): Promise<void> {
  await page.getByLabel("Line 1").fill(lines.join(" "));
  await page.getByRole("button", { name: "Unlock", exact: true }).click();
}

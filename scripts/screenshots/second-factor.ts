import type { Page } from "playwright-core";
import { showCode } from "../../packages/server/src/accounts/testing/authenticator.ts";

interface Parts {
  readonly password: string;
  /** A page that is signed in. */
  readonly page: Page;
  /** Types email address and password into a fresh page of the same size. */
  signIn(): Promise<Page>;
  take(page: Page, name: string, fullPage?: boolean): Promise<void>;
}

/** Sets the second factor up, takes pictures of each step and of the sign-in with it, and turns it off again. */
export async function takeSecondFactor({ password, page, signIn, take }: Parts, suffix: string): Promise<void> {
  const dialog = page.getByRole("dialog");
  const codes = dialog.getByRole("list", { name: "Backup codes" }).getByRole("listitem");
  await page.goto("/account");
  await page.getByRole("button", { name: "Turn on" }).click();
  await dialog.getByLabel("Current password", { exact: true }).fill(password);
  await take(page, `second-factor-1-password${suffix}`);
  await dialog.getByRole("button", { name: "Continue" }).click();
  await dialog.getByRole("heading", { name: "Keep your backup codes" }).waitFor();
  await take(page, `second-factor-2-backup-codes${suffix}`);
  const backupCode = await codes.first().innerText();
  await dialog.getByRole("button", { name: "I have kept them" }).click();
  await dialog.getByRole("img", { name: /QR code/ }).waitFor();
  await take(page, `second-factor-3-secret${suffix}`);
  const secret = (await dialog.getByTestId("secret").innerText()).replaceAll(/\s/g, "");
  const uri = `otpauth://totp/Sealpost?secret=${secret}`;
  await dialog.getByLabel("Code of the app").fill(showCode(uri));
  await dialog.getByRole("button", { name: "Turn on" }).click();
  await page.getByText("Signing in needs a code.").waitFor();
  await take(page, `account${suffix}`, true);

  const other = await signIn();
  await other.getByRole("heading", { name: "Your code" }).waitFor();
  await take(other, `sign-in-code${suffix}`);
  await other.context().close();

  await page.goto("/audit-log");
  await page.getByText("Second factor turned on").first().waitFor();
  await take(page, `audit-log${suffix}`);
  await page.goto("/account");
  await page.getByRole("button", { name: "Turn off" }).click();
  await dialog.getByLabel("Current password", { exact: true }).fill(password);
  await dialog.getByLabel("Code of the app, or a backup code").fill(backupCode);
  await dialog.getByRole("button", { name: "Turn off" }).click();
  await page.getByText("The password alone signs in.").waitFor();
}

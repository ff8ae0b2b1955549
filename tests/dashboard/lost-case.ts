import type { RecoverySheet } from "@sealpost/envelope";
import type { Client } from "@sealpost/sdk";
import type { Locator, Page } from "playwright-core";
import type { TestAccount } from "../../packages/server/src/testing/test-service.ts";
import type { Dashboard } from "./dashboard.ts";

/** A filled organization, and its owner. */
export interface World {
  readonly dashboard: Dashboard;
  readonly owner: TestAccount;
  readonly client: Client;
  readonly formId: string;
  /** Opens the owner's key, where they have one. */
  readonly sheet: RecoverySheet | undefined;
  /** Made by a case for itself. */
  own: { readonly formId: string } | undefined;
}

/** A change whose answer is lost, and is then asked for again. */
export interface LostCase {
  readonly path: string | ((world: World) => string);
  readonly begin?: (world: World) => Promise<unknown>;
  /** Up to the button that sends it. */
  readonly open?: (page: Page, world: World) => Promise<unknown>;
  readonly press: (page: Page) => Locator;
  /** Seen once it is lost. */
  readonly shows: (page: Page) => Locator;
  /** Seen after the same press again; absent where there is nothing to press any more. */
  readonly says?: (page: Page) => Locator;
  /** Looks at the service: nothing was done twice. */
  readonly holds?: (world: World) => Promise<void>;
}

type Name = string | RegExp;
const withName = (name: Name) => ({ name, ...(typeof name === "string" && { exact: true }) });
export const button = (page: Page, name: Name) => page.getByRole("button", withName(name));
export const dialog = (page: Page) => page.getByRole("dialog");
export const inDialog = (page: Page, name: Name) => dialog(page).getByRole("button", withName(name));
export const status = (page: Page, hasText: Name) => page.getByRole("status").filter({ hasText });
export const item = (page: Page, hasText: Name) => page.getByRole("main").getByRole("listitem").filter({ hasText });
export const section = (page: Page, name: string) =>
  page.locator("section", { has: page.getByRole("heading", { name, exact: true }) });
export const title = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
export const checked = (page: Page, name: Name, isChecked: boolean) =>
  page.getByRole("switch", { name, checked: isChecked, disabled: false });
export const fillDialog = (text: string) => (page: Page) => dialog(page).getByRole("textbox").first().fill(text);
export const ofForm = (rest: string) => (world: World) => `/forms/${world.formId}${rest}`;

export const ofOwnForm =
  (rest: string) =>
  ({ own }: World) =>
    `/forms/${own?.formId}${rest}`;

/** Opens a dialog by its button, and does something in it. */
export const opened =
  (name: Name, work: (page: Page) => Promise<unknown> = async () => {}) =>
  async (page: Page) => {
    await button(page, name).first().click();
    await work(page);
  };

/** No dialog is open any more. */
export const noDialog = (page: Page) => page.locator("body:not(:has(dialog[open]))");

export type LostCases = Readonly<Record<string, LostCase>>;

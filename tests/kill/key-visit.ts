import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { text } from "../../packages/texts/testing/english.ts";
import { holdCeremony, unlockWithSheet } from "../support/personal-key.ts";
import type { Holding } from "./key-ledger.ts";
import type { Beginning, KeyWorld, PersonName } from "./key-world.ts";

/** A person who carries out a flow, with what they have besides the browser: paper and notes. */
export interface Visit {
  readonly page: Page;
  /** The service's address. */
  readonly url: string;
  readonly world: KeyWorld;
  /** Sheets that they have printed, the newest last. */
  readonly papers: (readonly string[])[];
  /** The one that opens the key in use, as the ledger has found. */
  readonly paper: readonly string[] | undefined;
  /** Links that were shown, and recovery sheets of the organization, the newest last. */
  readonly links: string[];
  readonly sheets: (readonly string[])[];
}

export interface KeyFlow {
  readonly name: string;
  readonly beginning: Beginning | { readonly after: string };
  readonly person: PersonName;
  /** Whether `npm test` kills once in it. */
  readonly isShort?: true;
  /** As a person does it who finds what was done before; to its end. */
  run(visit: Visit): Promise<void>;
  /** Holds its end to what it is for. `links` are those that were shown in it. */
  check(held: Holding, links: readonly string[]): void;
}

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, ...(typeof name === "string" && { exact: true }) });
export const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });

export const open = ({ page, url }: Visit, path = "/") => page.goto(url + path);

/** Whichever of them comes first: a page that was left half-way may show the one or the other. */
export async function findFirst<Name extends string>(found: Readonly<Record<Name, ReturnType<Page["getByText"]>>>) {
  const entries = Object.entries(found) as [Name, ReturnType<Page["getByText"]>][]; // its own keys
  const [[, first] = assert.fail(), ...rest] = entries;
  await rest
    .reduce((all, [, one]) => all.or(one), first)
    .first()
    .waitFor();
  for (const [name, one] of entries) if (await one.first().isVisible()) return name;
  return assert.fail("it is gone again");
}

/** Presses whenever the page asks whether it is the organization that is meant, which a browser does before it seals for it the first time. */
export async function confirmOrganization(page: Page): Promise<void> {
  const { confirm, title } = text.envelopes.ownOrganization;
  const press = page.getByRole("dialog", { name: title }).getByRole("button", { name: confirm });
  try {
    for (;;) await press.click({ timeout: 0 });
  } catch {
    // The page is closed, or its browser was killed.
  }
}

export async function unlock({ page, paper, papers }: Visit): Promise<void> {
  const lines = paper ?? papers.at(-1) ?? assert.fail("no paper");
  const shown = await findFirst({ lines: page.getByLabel("Line 1"), ways: button(page, "Recovery sheet") });
  if (shown === "ways") await button(page, "Recovery sheet").click();
  await unlockWithSheet(page, { lines } as never); // its lines are all that is typed
}

export async function makeKey({ page, papers }: Visit): Promise<void> {
  await holdCeremony(page, ({ lines }) => papers.push(lines));
}

export async function openFormPage(visit: Visit, name: string, part = ""): Promise<void> {
  const { page } = visit;
  await open(visit);
  const link = page.getByRole("link", { name: new RegExp(name) }).first();
  await link.waitFor();
  const href = (await link.getAttribute("href")) ?? assert.fail();
  await open(visit, `${/\/forms\/[^/]+/.exec(href)?.[0] ?? href}${part}`);
  await unlock(visit);
}

export const swept = (page: Page) =>
  page.getByText(/forms? (was|were) changed\.|All forms are as they should be/).first();

/** The member whom the flows are about. */
export const memberName = "Bo Example";

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { createId } from "@sealpost/wire";
import type { Locator, Page } from "playwright-core";
import { createForm } from "../../packages/server/src/forms/testing/test-form.ts";
import type { TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { phone } from "../support/check-page.ts";
import { openBrowserOf } from "../support/people.ts";
import { type Dashboard, holdReads, startDashboard } from "./dashboard.ts";

// Who comes back to a page sees what it showed before until the answer is there: that there is nothing is then not known.

interface World {
  readonly dashboard: Dashboard;
  readonly account: TestAccount;
  readonly formId: string;
}

interface KeptList {
  readonly path: (formId: string) => string;
  /** Said while there is nothing. */
  readonly empty: (page: Page) => Locator;
  /** Comes while the person is on another page. */
  readonly fill: (world: World) => Promise<unknown>;
  readonly filled: (page: Page) => Locator;
}

const isEmpty = (page: Page) => page.locator("[data-empty]");

async function submitPlain({ dashboard, formId }: World): Promise<string> {
  const id = createId("submission");
  const payload = { encrypted: false, version: "plain1", fields: { name: "Somebody" } };
  const { status } = await dashboard.service.request("POST", `/api/forms/${formId}/submissions`, {
    body: { id, payload },
  });
  assert.equal(status, 201);
  return id;
}

/** In this order: what is in the bin of a form has been submitted. */
const lists: Readonly<Record<string, KeptList>> = {
  "keys of programs": {
    path: () => "/api-keys",
    empty: isEmpty,
    fill: ({ account }) => account.request("POST", "/api/api-keys", { name: "Program" }),
    filled: (page) => page.getByText("Program", { exact: true }),
  },
  passkeys: {
    path: () => "/account",
    empty: (page) => page.getByText("You have no passkey yet."),
    fill: ({ dashboard, account }) =>
      dashboard.service.database
        .insertInto("passkey")
        .values({
          ...{ id: createId("event"), person_id: account.id, name: "Phone", credential_id: "AA", user_handle: "AA" },
          ...{ public_key: "AA", counter: 0, transports: "[]", added_at: Date.now() },
        })
        .execute(),
    filled: (page) => page.getByRole("list", { name: "Your passkeys" }).getByText("Phone"),
  },
  "a form's bin": {
    path: (formId) => `/forms/${formId}/bin`,
    empty: isEmpty,
    async fill(world) {
      const ids = [await submitPlain(world)];
      await world.account.request("POST", `/api/forms/${world.formId}/submissions/bin`, { ids });
    },
    filled: (page) => page.getByRole("button", { name: /^Restore/ }).first(),
  },
  "a form's submissions": {
    path: (formId) => `/forms/${formId}`,
    empty: isEmpty,
    fill: submitPlain,
    filled: (page) => page.getByRole("table"),
  },
};

describe("a list that was empty at the last visit", () => {
  let world: World;

  before(async () => {
    const dashboard = await startDashboard();
    const account = await dashboard.service.signUp();
    world = { dashboard, account, formId: await createForm(account, { encryption: false }) };
  });
  after(() => world.dashboard.close());
  afterEach(() => assert.deepEqual(world.dashboard.complaints, []));

  for (const [name, { path, empty, fill, filled }] of Object.entries(lists))
    test(`is not said to be empty before the answer is there: ${name}`, async () => {
      const page = await openBrowserOf(world, world.dashboard, phone);
      await page.clock.install();
      await page.goto(path(world.formId));
      await empty(page).waitFor();
      await page.getByRole("link", { name: "Forms", exact: true }).click();
      await page.getByRole("heading", { name: "Forms", exact: true }).waitFor();
      await fill(world);
      await page.clock.fastForward(10_000);
      const letThrough = await holdReads(page, "**/api/**");
      const asked = page.waitForRequest("**/api/**");
      await page.goBack();
      await page.locator("main :is(h1, h2)").filter({ visible: true }).first().waitFor();
      await asked;
      assert.equal(await empty(page).count(), 0);
      await letThrough();
      await filled(page).waitFor();
      await page.context().close();
    });
});

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import type { Client } from "@sealpost/sdk";
import type { Locator, Page } from "playwright-core";
import { takeKeyPair } from "../support/key-pairs.ts";
import {
  assertAccessible,
  createAccount,
  type Dashboard,
  startDashboard,
  untilFocused,
  wouldAsk,
} from "./dashboard.ts";

interface Typing {
  readonly what: string;
  readonly path: string;
  /** Buttons that lead to the field. */
  readonly press: readonly string[];
  readonly field: string;
  readonly typed: string;
  readonly send: string;
  /** A radio button that must be chosen too. */
  readonly choose?: string;
}

describe("what is typed", () => {
  let dashboard: Dashboard;
  let client: Client;
  let formId: string;
  let page: Page;

  before(async () => {
    dashboard = await startDashboard();
    client = await createAccount(dashboard.service);
    formId = (await client.forms.create({ name: "Contact", publicKey: takeKeyPair().publicKey })).id;
    page = await dashboard.signIn();
    page.setDefaultTimeout(8_000);
  });
  after(() => dashboard.close());
  afterEach(() => assert.deepEqual(dashboard.complaints, []));

  const forms: readonly Typing[] = [
    {
      what: "an invitation",
      path: "/members",
      press: ["Invite somebody"],
      field: "Email address",
      typed: "reader@example.org",
      send: "Make the invitation",
      choose: "Manager",
    },
    {
      what: "a webhook address",
      path: "/forms/{form}/webhook",
      press: [],
      field: "Webhook address",
      typed: "https://example.org/hook",
      send: "Save address",
    },
    {
      what: "the reason of a legal hold",
      path: "/forms/{form}/settings",
      press: ["Set a legal hold"],
      field: "Reason",
      typed: "Case 7",
      send: "Set a legal hold",
    },
    {
      what: "another name",
      path: "/account",
      press: ["Change name"],
      field: "Name",
      typed: "Ada Lovelace",
      send: "Save changes",
    },
    {
      what: "an API key's name",
      path: "/api-keys",
      press: ["New API key"],
      field: "Name",
      typed: "Backup",
      send: "Create key",
    },
    {
      what: "a number of a setting",
      path: "/forms/{form}/settings",
      press: [],
      field: "Days in the bin",
      typed: "120",
      send: "Save",
    },
    {
      what: "a new form's name",
      path: "/forms/new",
      press: [],
      field: "Name",
      typed: "Applications",
      send: "",
    },
  ];
  for (const { what, path, press, field, typed, send, choose } of forms)
    test(`${what}: stays when the session ends, can be sent again, and is not left without a question`, async () => {
      await page.goto(path.replace("{form}", formId));
      for (const name of press) await page.getByRole("main").getByRole("button", { name }).first().click();
      const dialog = page.getByRole("dialog");
      const place = press.length > 0 ? dialog : page.getByRole("main");
      const label = new RegExp(`^${field}( \\(optional\\))?$`);
      const input = place.getByLabel(label);
      await input.waitFor();
      assert.equal(await wouldAsk(page), false, "nothing is typed yet");
      await input.fill(typed);
      if (choose !== undefined) await place.getByRole("radio", { name: choose }).check();
      assert.equal(await wouldAsk(page), true);
      if (send !== "") {
        const form = page.locator("form", { has: page.getByLabel(label) });
        const button = (press.length > 0 ? dialog : form).getByRole("button", { name: send, exact: true });
        const cookies = await page.context().cookies();
        await page.context().clearCookies();
        await button.click();
        await page.getByRole("alert").filter({ hasText: "Your session has ended" }).waitFor();
        assert.equal(await input.inputValue(), typed);
        await page.context().addCookies(cookies);
        assert.equal(await wouldAsk(page), true);
      }
      if (press.length > 0) {
        await page.keyboard.press("Escape");
        const question = page.getByRole("dialog", { name: "Leave without saving?" });
        await assertAccessible(page, `${what}, leaving`);
        await question.getByRole("button", { name: "Stay" }).click();
        assert.equal(await input.inputValue(), typed);
        await page.keyboard.press("Escape");
        await question.getByRole("button", { name: "Leave" }).click();
        await dialog.waitFor({ state: "detached" });
        assert.equal(await wouldAsk(page), false);
        return;
      }
      await page.getByRole("link", { name: "Sealpost" }).first().click();
      await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Leave" }).click();
      await page.waitForURL((url) => url.pathname === "/");
    });

  test("settings are undone and done again step by step, by keyboard, and leave with nothing to lose", async () => {
    await page.goto(`/forms/${formId}/settings`);
    const name = page.getByLabel("Name", { exact: true });
    const strip = page.getByRole("switch", { name: "Strip personal data" });
    const [undo, redo] = ["Undo", "Redo"].map((label) => page.getByRole("button", { name: label })) as [
      Locator,
      Locator,
    ];
    await name.fill("");
    await name.pressSequentially("Contact us");
    await strip.press(" ");
    await undo.press("Enter");
    assert.equal(await strip.getAttribute("aria-checked"), "false");
    assert.equal(await name.inputValue(), "Contact us");
    await undo.press("Enter");
    assert.equal(await name.inputValue(), "Contact");
    assert.equal(await wouldAsk(page), false);
    await redo.press("Enter");
    await redo.press("Enter");
    assert.equal(await strip.getAttribute("aria-checked"), "true");
    assert.equal(await name.inputValue(), "Contact us");
    await page.getByRole("button", { name: "Save changes" }).click();
    await page.getByText("The settings are saved.").waitFor();
    assert.equal((await client.forms.get(formId)).name, "Contact us");
  });

  test("wrong fields, where they are several, are named, and one press leads to each", async () => {
    await page.goto(`/forms/${formId}/settings`);
    await page.getByLabel("Name", { exact: true }).fill("   ");
    await page.getByLabel("Pages that may send").fill("nowhere");
    await page.getByRole("button", { name: "Save changes" }).click();
    await untilFocused(page.getByLabel("Name", { exact: true }));
    await assertAccessible(page, "several mistakes");
    const list = page.getByText("Some fields need another look:").locator("..");
    assert.deepEqual(await list.getByRole("button").allInnerTexts(), ["Name", "Pages that may send"]);
    await list.getByRole("button", { name: "Pages that may send" }).click();
    await untilFocused(page.getByLabel("Pages that may send"));
  });
});

import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { createTestService, type TestService } from "../../packages/server/src/testing/test-service.ts";
import { person, submitHybrid } from "../dashboard/dashboard.ts";
import type { Driver } from "./driver.ts";
import { findEngines } from "./engines.ts";
import { createTab, keys, type Tab } from "./tab.ts";

// `npm run test:browsers`: keys of people in each browser, from six words to a rotation. Camera and passkeys that unlock can't be
// driven there; the sentence that a person then gets is seen.

const engines = await findEngines();
const bo = { name: "Bo Castillo", email: "bo@example.com" };

for (const engine of engines)
  describe(`keys of people in ${engine.name} ${engine.version}`, () => {
    const closers: (() => unknown)[] = [];
    let service: TestService;
    /** Two people, each with a browser and what they have on paper. */
    let ada: Tab;
    let other: Tab;
    const papers = new Map<Tab, { readonly words: string; readonly lines: readonly string[] }>();
    let formId = "";

    before(async () => {
      service = await createTestService(
        { after: (close) => closers.push(close as () => unknown) },
        { environment: { SEALPOST_SIGNUP: "first" } },
      );
      [ada, other] = [await openBrowser(), await openBrowser()];
    });
    after(async () => {
      for (const close of closers.reverse()) await close();
    });

    async function openBrowser(): Promise<Tab> {
      const driver: Driver = await engine.start();
      closers.push(driver.close);
      return createTab(driver);
    }

    /** Opens a page of the app, and listens from then on for what must not happen. */
    async function open(tab: Tab, path: string): Promise<void> {
      await tab.driver.navigate(new URL(path, service.url).href);
      await tab.run(() => {
        const complaints: string[] = [];
        Reflect.set(window, "complaints", complaints);
        addEventListener("error", ({ message }) => complaints.push(message));
        addEventListener("unhandledrejection", ({ reason }) => complaints.push(String(reason)));
        addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
          complaints.push(`${violatedDirective} ${blockedURI}`),
        );
      });
    }
    afterEach(async () => {
      for (const tab of [ada, other])
        assert.deepEqual((await tab.run(() => Reflect.get(window, "complaints"))) ?? [], []);
    });

    /** The texts of a list's items, once it has as many. */
    const readItems = (tab: Tab, selector: string, count: number) =>
      tab.until(
        (given, wanted) => {
          const items = [...document.querySelectorAll(`${given} li`)].map(({ textContent }) =>
            (textContent ?? "").trim(),
          );
          return items.length >= wanted ? items.slice(0, wanted) : undefined;
        },
        selector,
        count,
      );

    async function typeSheet(tab: Tab, lines: readonly string[]): Promise<void> {
      for (const [index, line] of lines.entries()) await tab.fill(`Line ${index + 1}`, line);
      await tab.type(keys.enter);
    }

    async function makeKey(tab: Tab): Promise<void> {
      await tab.see({ text: "Keep these six words" });
      const words = (await readItems(tab, "[data-testid=words]", 6)).join(" ");
      await tab.click({ button: "I have kept them" });
      await tab.fill("Six words", `${words}${keys.enter}`);
      await tab.see({ text: "Print your recovery sheet" });
      await tab.click({ css: "summary" });
      const lines = await readItems(tab, "details [data-testid=sheet-lines]", 4);
      papers.set(tab, { words, lines });
      await tab.click({ button: "I have the sheet on paper" });
      await typeSheet(tab, lines);
      await tab.click({ button: "Keep my key" });
      await tab.see({ text: "Your key is ready" });
      await tab.click({ button: "See the ways to unlock it" });
    }

    async function unlock(tab: Tab): Promise<void> {
      await tab.fill("Your six words or passphrase", `${papers.get(tab)?.words}${keys.enter}`);
    }

    async function send(message: string): Promise<void> {
      const { body } = await service.request("GET", `/api/forms/${formId}/public`);
      // Every browser makes the hybrid key that the switch promises, and opens what is sealed to it.
      const { hybridPublicKey, keyVersion } = body.form;
      await submitHybrid(service, { id: formId }, { message }, hybridPublicKey, keyVersion);
    }

    test("a key is made with six words and a sheet that are typed back, and unlocked with the words and with the sheet", async () => {
      await open(ada, `/setup?token=${service.setupToken}`);
      await ada.click({ label: "Your name" });
      await ada.type(`${person.name}${keys.tab}${person.email}${keys.tab}${person.password}${keys.enter}`);
      await ada.see({ text: "Create your first form" });
      await open(ada, "/account/key");
      await ada.click({ button: "Make your key" });
      await makeKey(ada);
      await ada.see({ text: "Your key is unlocked" });
      await ada.click({ button: "Lock now" });
      await unlock(ada);
      await ada.see({ text: "Your key is unlocked" });
      await ada.click({ button: "Lock now" });
      await ada.click({ button: "Recovery sheet" });
      await typeSheet(ada, papers.get(ada)?.lines ?? []);
      await ada.see({ text: "Your key is unlocked" });
    });

    test("without a camera the page says so, and that the lines can be typed", async () => {
      await ada.click({ button: "Lock now" });
      await ada.click({ button: "Recovery sheet" });
      await ada.click({ button: "Scan the sheet" });
      await ada.see({ text: "The camera can't be used here" });
      await ada.click({ button: "Close" });
    });

    test("a form is made with its envelope, and its keys are rotated", async () => {
      await open(ada, "/forms/new");
      await ada.fill("Name", "Works council");
      await ada.click({ button: "Create form" });
      await unlock(ada);
      await ada.see({ text: "Waiting for the first submission" });
      formId = (await ada.run(() => /form_\w+/.exec(location.href)?.[0])) ?? "";
      await send("the oldest row");
      await open(ada, `/forms/${formId}/keys`);
      await unlock(ada);
      await ada.click({ button: "Make the new key" });
      await ada.click({ button: "Rotate to version 2" });
      await ada.see({ text: "Version 2 is now current" });
      await send("after the rotation");
    });

    test("somebody joins by a link, and reads what came before and after the rotation", async () => {
      const invitation = await ada.run(
        async (form, email) => {
          const headers = { "content-type": "application/json" };
          const body = JSON.stringify({ email, role: "reader", forms: [form] });
          return (await (await fetch("/api/invitations", { method: "POST", headers, body })).json()).url as string;
        },
        formId,
        bo.email,
      );
      await open(other, invitation);
      await other.fill("Your name", bo.name);
      await other.fill("Password", `${person.password}${keys.enter}`);
      await other.see({ button: "Account menu" });
      await open(other, "/account/key");
      await other.click({ button: "Make your key" });
      await makeKey(other);

      await open(ada, "/members");
      await ada.click({ button: `Bring in: ${bo.name}` });
      await unlock(ada);
      await ada.click({ button: "By a messenger: make a link" });
      const link = await ada.until(() => /https?:\S+\/join#[\w.-]+/.exec(document.body.innerText)?.[0]);
      await ada.click({ button: "I have passed it on" });
      await open(other, link);
      await unlock(other);
      await other.click({ button: "Send my public key" });
      await other.see({ text: "Your public key is on its way" });
      await open(ada, "/members");
      await ada.click({ button: `Look and bring in: ${bo.name}` });
      await unlock(ada);
      await ada.see({ text: "has answered with the link" });
      await ada.click({ button: "Bring in" });
      await ada.click({ button: "Seal for them" });
      await ada.see({ text: "1 form was changed." });
      await open(other, `/forms/${formId}`);
      await unlock(other);
      for (const message of ["the oldest row", "after the rotation"]) await other.see({ text: message });
    });
  });

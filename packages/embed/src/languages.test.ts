import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { keyLogMessages, messages, personalData } from "@sealpost/texts/embed";
import { build } from "esbuild";
import { makeUp } from "../../texts/testing/made-up.ts";
import { startSiteAndService } from "../testing/site.ts";

// Every message that a visitor can meet, as the page shows it.

const { site } = await startSiteAndService();
beforeEach(() => site.reset());

const all = { ...messages, ...keyLogMessages };
const names = Object.keys(all) as (keyof typeof all)[]; // its own keys
const types = Object.keys(personalData);

/** A message in the made-up language, in which the names of its gaps stay. */
const translate = (message: string) =>
  message
    .split(/(\{\w+\})/)
    .map((part) => (part.startsWith("{") ? part : makeUp(part)))
    .join("");

interface Shown {
  readonly text: string;
  readonly language: string;
}

/** The view of the embed on a page, which shows one message after the other. */
async function showAll(overrides: Readonly<Record<string, string>>): Promise<Readonly<Record<string, Shown>>> {
  const { outputFiles } = await build({
    bundle: true,
    conditions: ["@sealpost/source"],
    define: { SEALPOST_KEY_LOG: "true" },
    format: "iife",
    globalName: "View",
    stdin: {
      contents: `import './privacy-script.ts'; export { createView } from "./view.ts";`,
      resolveDir: import.meta.dirname,
    },
    write: false,
  });
  const page = await site.open("<form></form>");
  await page.evaluate(outputFiles[0]?.text ?? "");
  return page.evaluate(showInPage, { overrides, names, types });
}

/** Runs in the page. */
async function showInPage(given: {
  readonly overrides: object;
  readonly names: readonly string[];
  readonly types: readonly string[];
}): Promise<Record<string, Shown>> {
  const { createView } = Reflect.get(window, "View");
  const [form] = document.forms;
  const target = { form, formId: "form_1", showMessages: true };
  const shown: Record<string, Shown> = {};
  for (const name of given.names) {
    const view = createView(form, target, given.overrides, new AbortController());
    const own = form?.nextElementSibling as HTMLElement; // the view has just made it
    const changed = new Promise((resolve) => {
      new MutationObserver(resolve).observe(own, { childList: true, subtree: true });
    });
    if (name === "sending") view.showSending(null);
    else if (name === "sent" || name === "sent_before") view.showSent(name, []);
    else if (name === "stripped") view.showSent("sent", [{ field: "1", types: given.types }]);
    else if (name === "save") view.offer({});
    else view.failed(name, undefined, undefined, "1");
    await changed;
    const languages = [...own.querySelectorAll<HTMLElement>("[lang]")].map(({ lang }) => lang);
    shown[name] = { text: own.textContent ?? "", language: languages.join() };
    view.restore();
  }
  return shown;
}

test("each message can be shown in another language, and no English letter is left on the page", async () => {
  const overrides = Object.fromEntries(
    Object.entries({ ...all, ...personalData }).map(([name, message]) => [name, translate(message)]),
  );
  const shown = await showAll(overrides);
  assert.deepEqual(Object.keys(shown), names);
  for (const [name, { text, language }] of Object.entries(shown)) {
    assert.doesNotMatch(text, /[A-Za-z]/, name);
    assert.equal(language, "", "only the page knows the language of its texts");
    const [words = ""] = (overrides[name] ?? "").split(/\{\w+\}/);
    assert.ok(text.trim().length > 3 && text.includes(words), `${name}: ${text}`);
  }
  for (const type of types) assert.ok(shown.stripped?.text.includes(overrides[type] ?? "?"), type);
});

test("a message that the page does not replace is English, and marked as such", async () => {
  const shown = await showAll(personalData);
  for (const name of names.filter((one) => one !== "save" && one !== "stripped")) {
    const { text, language } = shown[name] ?? { text: "", language: "" };
    assert.equal(text, all[name].replace("{field}", "1"));
    assert.equal(language, "en", name);
  }
});

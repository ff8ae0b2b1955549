import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildModule } from "../../packages/embed/build.ts";
import type { SealpostOptions } from "../../packages/embed/src/react.tsx";
import type { ReactPageSettings } from "../../packages/embed/testing/react-page.tsx";
import { findEngines } from "./engines.ts";
import { keys } from "./tab.ts";
import { startVisit, untilState, type Visit } from "./visit.ts";

// `npm run test:browsers`: what a visitor does besides typing and pressing the button, in the browsers that visitors have.

for (const engine of await findEngines())
  describe(`a visitor in ${engine.name} ${engine.version}`, () => {
    let visit: Visit;
    before(async () => {
      visit = await startVisit(engine);
    });
    after(() => visit.close());
    afterEach(() => assert.deepEqual(visit.site.strays, []));

    const form = `<form method="dialog"><label>Mail <input name="mail"></label> <button name="by" value="button">Send</button></form>`;

    async function open(html: string): Promise<void> {
      await visit.tab.driver.navigate(visit.site.add(html));
    }

    test("a form is sent by Enter in a field and by the space bar on its button, and the focus comes back", async () => {
      const { tab } = visit;
      const { embedCode, opened } = await visit.createForm();
      await open(form + embedCode);
      await tab.fill("Mail", `typed${keys.enter}`);
      await untilState(tab, "sent");
      assert.equal(await tab.run(() => document.activeElement?.getAttribute("name")), "mail");
      await open(form + embedCode);
      await tab.fill("Mail", `again${keys.tab}`);
      assert.equal(await tab.run(() => document.activeElement?.tagName), "BUTTON");
      await tab.type(keys.space);
      await untilState(tab, "sent");
      assert.equal(await tab.run(() => document.activeElement?.tagName), "BUTTON");
      assert.deepEqual(await opened(), [
        { mail: "again", by: "button" },
        { mail: "typed", by: "button" },
      ]);
    });

    test("a double click sends once, and a click later sends again", async () => {
      const { tab, gate } = visit;
      const { embedCode, opened } = await visit.createForm();
      const before = gate.submissions.length;
      await open(form + embedCode);
      await tab.fill("Mail", "once");
      await tab.click({ button: "Send" }, 2);
      await untilState(tab, "sent");
      // The second click counts for a second: what comes after it is a wish of its own, and sends what is there then.
      await tab.run(() => new Promise((resolve) => setTimeout(resolve, 1_100)));
      assert.equal(gate.submissions.length, before + 1);
      await tab.fill("Mail", "twice");
      await tab.click({ button: "Send" });
      await untilState(tab, "sent");
      await tab.until(() => document.querySelector("input")?.value === "");
      assert.deepEqual(
        (await opened()).map((fields) => Object(fields).mail),
        ["twice", "once"],
      );
    });

    test("after going back from the page that follows the form, it can be filled in and sent again", async () => {
      const { tab, site } = visit;
      const { embedCode, opened } = await visit.createForm();
      const thanks = site.add("<p>Thanks a lot</p>");
      const code = embedCode.replace(/\{\s*\}(?=\))/, JSON.stringify({ redirect: thanks }));
      assert.ok(code.includes(thanks));
      const telling = `<output></output><script>addEventListener("pageshow", ({ persisted }) => document.querySelector("output").textContent = persisted)</script>`;
      const findWhetherKeptAlive = () => tab.until(() => document.querySelector("output")?.textContent);
      // A browser without a window may keep no page alive: it is asked with a page of the same kind first.
      await open(telling);
      await tab.run((url) => location.assign(url), thanks);
      await tab.see({ text: "Thanks a lot" });
      await tab.run(() => history.back());
      const isUsuallyKeptAlive = await findWhetherKeptAlive();
      await open(`${form}${telling}${code}`);
      await tab.fill("Mail", "first");
      await tab.click({ button: "Send" });
      await tab.see({ text: "Thanks a lot" });
      await tab.run(() => history.back());
      assert.equal(
        await findWhetherKeptAlive(),
        isUsuallyKeptAlive,
        "the embed does not cost the page its place in the back-forward cache",
      );
      await untilState(tab, "idle");
      assert.equal(await tab.run(() => document.querySelector("button")?.disabled), false);
      await tab.run(() => document.querySelector("form")?.reset());
      await tab.fill("Mail", "second");
      await tab.click({ button: "Send" });
      await tab.see({ text: "Thanks a lot" });
      assert.deepEqual(
        (await opened()).map((fields) => Object(fields).mail),
        ["second", "first"],
      );
    });

    test("without the script nothing leaves the form; a plain one is posted by the browser itself, a sealed one is refused", async () => {
      const { tab, gate, site } = visit;
      const before = gate.submissions.length;
      await open(form);
      await tab.fill("Mail", `nowhere${keys.enter}`);
      await tab.click({ button: "Send" });
      assert.equal(await tab.run(() => location.search), "");
      assert.equal(gate.submissions.length, before);

      const thanks = site.add("<p>Thanks a lot</p>");
      const sealed = await visit.createForm();
      const plain = await visit.createForm({ encryption: false });
      for (const [{ id }, words] of [
        [plain, "Thanks a lot"],
        [sealed, "JavaScript"],
      ] as const) {
        await open(
          `<form action="${gate.url}/f/${id}" method="post"><input type="hidden" name="_next" value="${thanks}"><label>Mail <input name="mail"></label> <button>Send</button></form>`,
        );
        await tab.fill("Mail", "plain Zoë 😀");
        await tab.click({ button: "Send" });
        await tab.see({ text: words });
      }
      assert.deepEqual(await plain.opened(), [{ mail: "plain Zoë 😀" }]);
      assert.deepEqual(await sealed.opened(), []);
    });

    test("what is invalid is said at its field and has the focus; corrected, it is sent", async () => {
      const { tab } = visit;
      const { embedCode, opened } = await visit.createForm();
      await open(
        `<form><label>Mail <input name="mail" type="email" required></label><p data-sealpost-error="mail"></p><button>Send</button></form>${embedCode}`,
      );
      await tab.click({ button: "Send" });
      await tab.until(() => document.querySelector("p")?.textContent);
      assert.deepEqual(
        await tab.run(() => [
          document.activeElement?.getAttribute("name"),
          document.activeElement?.getAttribute("aria-invalid"),
          document.querySelector("p")?.id === document.activeElement?.getAttribute("aria-describedby"),
        ]),
        ["mail", "true", true],
      );
      await tab.fill("Mail", "a@b.example");
      assert.equal(await tab.run(() => document.querySelector("p")?.textContent), "");
      await tab.click({ button: "Send" });
      await untilState(tab, "sent");
      assert.deepEqual(await opened(), [{ mail: "a@b.example" }]);
    });

    test("a React form is sealed and sent as React shows it, and reports how that went", async () => {
      const { tab, gate } = visit;
      const { id, opened } = await visit.createForm();
      const script = await buildReactPage();
      const openReact = (options: SealpostOptions) => {
        const settings: ReactPageSettings = { view: "hook", isStrict: true, formId: id, options };
        const start = `<script>window.settings = ${JSON.stringify(settings)}</script>`;
        return open(`<div id="root"></div>${start}<script>${script}</script>`);
      };
      await openReact({ endpoint: gate.url, resetOnSuccess: false });
      await tab.click({ css: "[name=topic]" });
      await tab.type(" and hooks");
      await tab.click({ button: "Send" });
      await tab.until(() => document.querySelector("output")?.textContent?.includes('"status":"sent"'));
      assert.deepEqual(await tab.run(() => reports), ["sent with react and hooks"]);
      assert.deepEqual(await opened(), [{ mail: "one@example.com", topic: "react and hooks" }]);
      await tab.click({ css: "[name=mail]" });
      await tab.type(" no address");
      await tab.click({ button: "Send" });
      await tab.until(() => /"fieldErrors":\{"mail":"./.test(document.querySelector("output")?.textContent ?? ""));

      await openReact({ endpoint: gate.url });
      for (const mail of [".first", ".second"]) {
        await tab.click({ css: "[name=mail]" });
        await tab.type(mail);
        await tab.click({ button: "Send" });
        await tab.see({ css: "#one-thanks" });
        await tab.click({ button: "Another" });
      }
      assert.equal((await opened()).length, 3);
    });
  });

/** A page of React's own with the published module of the embed. */
async function buildReactPage(): Promise<string> {
  await buildModule();
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../../packages/embed/testing/react-page.tsx", import.meta.url))],
    bundle: true,
    define: { "process.env.NODE_ENV": '"development"' },
    jsx: "automatic",
    write: false,
  });
  return outputFiles[0]?.text ?? "";
}

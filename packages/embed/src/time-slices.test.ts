import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { embedCode, untilState } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";

// Stripping lets the page do its own work in between. What visitors and the page do then changes nothing of what is sent.

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset({ piiStrip: true });
});

const form = `<form><label>Text <textarea name="text">Write to a@b.example</textarea></label><input name="note" value="first"><button>Send</button></form>`;

/**
 * A page in which every step of stripping takes longer than a slice of time, and that runs `meanwhile` at the third pause. A page's
 * clock and its channels are its own, so no test has to hope for a slow machine.
 */
async function openSlow(meanwhile: string): Promise<Page> {
  const page = await site.open(form + embedCode(service), {}, (opened) =>
    opened.addInitScript((script) => {
      let now = 0;
      performance.now = () => (now += 20);
      let pauses = 0;
      const Channel = MessageChannel;
      Reflect.set(
        window,
        "MessageChannel",
        class extends Channel {
          constructor() {
            super();
            pauses++;
            Reflect.set(window, "pauses", pauses);
            if (pauses !== 3) return;
            Reflect.set(window, "state", document.forms[0]?.getAttribute("data-sealpost-state"));
            new Function(script)();
          }
        },
      );
    }, meanwhile),
  );
  return page;
}

async function submitAndWait(page: Page): Promise<void> {
  await page.click("button");
  await untilState(page, "sent");
  const { state, pauses } = await page.evaluate(() => ({
    state: Reflect.get(window, "state"),
    pauses: Number(Reflect.get(window, "pauses")),
  }));
  assert.equal(state, "sending");
  assert.ok(pauses > 10, `${pauses} pauses`);
}

test("pressed again, submitted again and called again meanwhile: it is sent once", async () => {
  const page = await openSlow(`
    document.querySelector("button").click();
    document.forms[0].requestSubmit();
    window.again = handle.submit();`);
  await submitAndWait(page);
  const again = await page.evaluate(() => Reflect.get(window, "again"));
  assert.equal(again.sent, true);
  assert.equal(service.posts.length, 1);
  assert.deepEqual(await service.opened(), [{ text: "Write to [EMAIL]", note: "first" }]);
});

test("changed meanwhile: what was there when it was submitted is sent, by what the page said then, and the change is kept", async () => {
  const page = await openSlow(`
    document.querySelector("textarea").select();
    document.execCommand("insertText", false, "changed");
    document.querySelector("textarea").setAttribute("data-sealpost-pii", "false");
    document.querySelector("input").name = "other";`);
  await submitAndWait(page);
  assert.deepEqual(await service.opened(), [{ text: "Write to [EMAIL]", note: "first" }]);
  assert.match(await untilState(page, "sent"), /your changes were not/);
  assert.equal(await page.inputValue("textarea"), "changed");
});

test("reset meanwhile: what was there when it was submitted is sent", async () => {
  const page = await openSlow("document.forms[0].reset();");
  await page.fill("input", "typed");
  await submitAndWait(page);
  assert.deepEqual(await service.opened(), [{ text: "Write to [EMAIL]", note: "typed" }]);
  assert.equal(await page.inputValue("input"), "first");
});

test("given back meanwhile: it is sent all the same, once, and the form stays unchanged", async () => {
  const page = await openSlow("handle.destroy();");
  await page.fill("input", "typed");
  const outcome = await page.evaluate(() => Reflect.get(window, "handle").submit());
  assert.equal(outcome.sent, true);
  assert.deepEqual(await service.opened(), [{ text: "Write to [EMAIL]", note: "typed" }]);
  assert.equal(service.posts.length, 1);
  assert.equal(await page.inputValue("input"), "typed");
});

test("left meanwhile: the browser asks first", async () => {
  const page = await openSlow(`
    const leaving = new Event("beforeunload", { cancelable: true });
    Object.defineProperty(leaving, "returnValue", { set: () => { window.asked = true; } });
    dispatchEvent(leaving);`);
  await submitAndWait(page);
  assert.equal(await page.evaluate(() => Reflect.get(window, "asked")), true);
});

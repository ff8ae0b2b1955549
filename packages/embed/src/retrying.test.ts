import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { embedCode, untilState } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";

// Never twice, never other content: what was sent once is sent again byte for byte until the service has answered for it.

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset();
});

const form = `<form><input name="a" value="1"><button>Send</button></form>`;
/** A page whose time stands still, so that nothing is tried again before the test says so. */
async function openFrozen(html = form, options: Readonly<Record<string, unknown>> = {}): Promise<Page> {
  const page = await site.open(html + embedCode(service, options), {}, ({ clock }) => clock.install());
  await page.clock.pauseAt(Date.now() + 60_000);
  return page;
}

test("offline: the answers stay on the page and are sent when the connection is back", async () => {
  const page = await openFrozen();
  await site.context.setOffline(true);
  await page.click("button");
  assert.match(await untilState(page, "waiting"), /No connection/);
  assert.equal(await page.inputValue("input"), "1");
  assert.deepEqual(service.posts, []);
  await site.context.setOffline(false);
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
});

test("a full form keeps what was typed, offers it as a file, and sends the same bytes when the time is over", async () => {
  // The code is one that this script has never heard of: pages keep their script for years.
  const body = { error: "unavailable", message: "", code: "of_a_newer_service", full: true, retryAfter: 3600 };
  service.nextPosts.push({ kind: "answer", status: 503, body });
  const page = await openFrozen(
    `<form><input name="a" value="1"><input name="a" value="zwei"><button>Send</button></form>`,
  );
  await page.click("button");
  assert.match(await untilState(page, "waiting"), /this form is full/);
  assert.equal(await page.inputValue("input >> nth=0"), "1");
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Save your answers" }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "answers.txt");
  assert.equal(await readFile(await saved.path(), "utf8"), "a: 1,zwei\n");
  const copy = await page.getByRole("link", { name: "Save your answers" }).getAttribute("href");
  const readCopy = () =>
    page.evaluate(
      (address) =>
        fetch(address ?? "").then(
          (answer) => answer.text(),
          () => "gone",
        ),
      copy,
    );
  assert.equal(await readCopy(), "a: 1,zwei\n");
  await page.clock.fastForward(3_599_000);
  assert.equal(service.posts.length, 1);
  await page.clock.fastForward(2_000);
  await untilState(page, "sent");
  assert.equal(new Set(service.posts).size, 1);
  assert.equal(await page.getByRole("link").count(), 0);
  assert.equal(await readCopy(), "gone", "the page keeps no copy of what was sent");
});

test("an answer that was lost is asked for again with the same bytes, and the submission is stored once", async () => {
  for (const kind of ["lose", "store_and_lose"] as const) {
    service.reset();
    service.nextPosts.push({ kind }, { kind });
    const page = await openFrozen();
    await page.click("button");
    await untilState(page, "waiting");
    await page.clock.fastForward(2_000);
    await service.posted(2);
    await untilState(page, "waiting");
    await page.clock.fastForward(4_000);
    await untilState(page, "sent");
    assert.equal(service.posts.length, 3);
    assert.equal(new Set(service.posts).size, 1);
    assert.deepEqual(await service.opened(), [{ a: "1" }]);
    await page.close();
  }
});

test("a success whose rest is lost is one, and a refusal stays one", async () => {
  service.nextPosts.push({ kind: "store_and_cut" });
  const page = await openFrozen();
  await page.click("button");
  await untilState(page, "sent");
  assert.equal(service.posts.length, 1);
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
});

test("the visitor's own next click sends the same bytes too", async () => {
  service.nextPosts.push({ kind: "lose" });
  const page = await openFrozen();
  await page.click("button");
  await untilState(page, "waiting");
  await page.click("button");
  await untilState(page, "sent");
  assert.equal(new Set(service.posts).size, 1);
});

test("changed meanwhile, the first had arrived: it counts, the change is kept on the page and said not to be sent", async () => {
  service.nextPosts.push({ kind: "store_and_lose" });
  const page = await openFrozen();
  await page.click("button");
  await untilState(page, "waiting");
  await page.fill("input", "2");
  await page.click("button");
  assert.match(await untilState(page, "sent"), /your changes were not/);
  assert.equal(await page.inputValue("input"), "2");
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
  await page.clock.fastForward(1001);
  await page.click("button");
  await service.posted(3);
  assert.equal(await untilState(page, "sent"), "Thank you, your answers were sent.");
  assert.deepEqual(await service.opened(), [{ a: "1" }, { a: "2" }]);
});

/** Ways to decide otherwise that are no input of the visitor's in a field. */
const decisions: Readonly<
  Record<string, { readonly html: string; change?(page: Page): Promise<void>; readonly field: string }>
> = {
  "another button": {
    html: `<form><button name="a" value="1">Yes</button><button name="a" value="2">No</button></form>`,
    field: "button >> nth=1",
  },
  "a control of the page's own": {
    html: `<form><input name="a" value="1" type="hidden"><span onclick="this.parentNode.elements.a.value = 2">two</span><button>Send</button></form>`,
    change: (page) => page.click("span"),
    field: "button",
  },
};

for (const [name, { html, change, field }] of Object.entries(decisions))
  for (const losses of [1, 2])
    test(`decided otherwise by ${name}, the first had arrived, and ${losses} of its answers are lost: it is said that the change was not sent, and the change is sent next`, async () => {
      service.nextPosts.push({ kind: "store_and_lose" }, ...(losses === 2 ? [{ kind: "lose" } as const] : []));
      const page = await openFrozen(html, { redirect: "/thanks" });
      await page.click("button >> nth=0");
      await untilState(page, "waiting");
      await change?.(page);
      await page.click(field);
      if (losses === 2) {
        await service.posted(2);
        await untilState(page, "waiting");
        await page.clock.fastForward(5000);
      }
      assert.match(await untilState(page, "sent"), /your changes were not/);
      assert.deepEqual(await service.opened(), [{ a: "1" }]);
      await page.clock.fastForward(1001);
      await page.click(field);
      await page.waitForURL("**/thanks");
      assert.deepEqual(await service.opened(), [{ a: "1" }, { a: "2" }]);
    });

test("changed meanwhile, still no answer for the first: the change waits", async () => {
  service.nextPosts.push({ kind: "lose" }, { kind: "lose" });
  const page = await openFrozen();
  await page.click("button");
  await untilState(page, "waiting");
  await page.fill("input", "2");
  await page.click("button");
  await service.posted(2);
  await untilState(page, "waiting");
  assert.equal(new Set(service.posts).size, 1);
});

test("changed meanwhile, the first is known not to have arrived: only the change is sent", async () => {
  service.nextPosts.push(
    { kind: "lose" },
    { kind: "answer", status: 400, body: { error: "bad_request", message: "" } },
  );
  const page = await openFrozen();
  await page.click("button");
  await untilState(page, "waiting");
  await page.fill("input", "2");
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ a: "2" }]);
});

test("changed before anything left the page: only the change is sent", async () => {
  service.publicAnswer = () => ({ status: 500, body: {} });
  const page = await openFrozen();
  await page.click("button");
  await untilState(page, "waiting");
  service.publicAnswer = (body) => ({ body });
  await page.fill("input", "2");
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ a: "2" }]);
});

test("changed while it was being sent: what was sent counts, the change is kept", async () => {
  const gate = Promise.withResolvers<void>();
  service.nextPosts.push({ kind: "hold", until: gate.promise });
  const page = await openFrozen();
  await page.click("button");
  await service.posted(1);
  await page.fill("input", "2");
  gate.resolve();
  assert.match(await untilState(page, "sent"), /your changes were not/);
  assert.equal(await page.inputValue("input"), "2");
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
});

test("rate limited: the button waits, and after retryAfter the same bytes are sent", async () => {
  service.nextPosts.push({ kind: "answer", status: 429, body: { error: "rate_limited", message: "", retryAfter: 30 } });
  const page = await openFrozen();
  await page.click("button");
  assert.match(await untilState(page, "waiting"), /will be sent soon/);
  assert.ok(await page.isDisabled("button"));
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await page.evaluate(() => document.querySelector("form")?.requestSubmit());
  await page.clock.fastForward(29_000);
  assert.equal(service.posts.length, 1);
  await page.clock.fastForward(1_000);
  await untilState(page, "sent");
  assert.equal(service.posts.length, 2);
  assert.equal(new Set(service.posts).size, 1);
  assert.ok(await page.isEnabled("button"));
});

test("an absurd retryAfter neither hammers the service nor waits for ever", async () => {
  for (const [retryAfter, expected] of [
    [-5, 1],
    [0, 60],
    ["x", 60],
    [1e12, 3600],
  ] as const) {
    service.reset();
    service.nextPosts.push({ kind: "answer", status: 429, body: { retryAfter } });
    const page = await openFrozen(form, { messages: { rate_limited: "in {seconds} seconds" } });
    await page.click("button");
    assert.match(await untilState(page, "waiting"), new RegExp(`in ${expected} seconds`));
    await page.close();
  }
});

test("a success that does not name the submission is no success", async () => {
  for (const body of [
    {},
    "<h1>Welcome</h1>",
    { success: true, submission: { id: "sub_other" } },
    { success: "true" },
    null,
  ]) {
    service.reset();
    service.nextPosts.push({ kind: "answer", status: 201, body });
    const page = await openFrozen();
    await page.click("button");
    await untilState(page, "waiting");
    await page.clock.fastForward(2_000);
    await untilState(page, "sent");
    assert.equal(new Set(service.posts).size, 1);
    await page.close();
  }
});

test("a refusal is shown, keeps what was typed, and the next click is a submission of its own", async () => {
  for (const [status, expected] of [
    [403, /on this website/],
    [404, /no longer exists/],
    [409, /not accepted/],
    [413, /too long/],
  ] as const) {
    service.reset();
    service.nextPosts.push({ kind: "answer", status, body: { error: "x", message: "<b>x</b>" } });
    const page = await openFrozen();
    await page.fill("input", "typed");
    await page.click("button");
    assert.match(await untilState(page, "error"), expected);
    assert.equal(await page.inputValue("input"), "typed");
    await page.click("button");
    await untilState(page, "sent");
    const ids = service.posts.map((body) => JSON.parse(body).id);
    assert.equal(new Set(ids).size, 2);
    await page.close();
  }
});

test("a service that does not answer within 30 seconds, and the time that a slow connection needs for the body, counts as gone", async () => {
  const page = await openFrozen();
  service.nextPosts.push({ kind: "hold", until: new Promise(() => {}) });
  await page.click("button");
  await service.posted(1);
  const bodyMilliseconds = (service.posts[0] ?? "").length / 4;
  await page.clock.fastForward(29_999 + Math.floor(bodyMilliseconds));
  await untilState(page, "sending");
  await page.clock.fastForward(2);
  assert.match(await untilState(page, "waiting"), /No connection/);
  await page.clock.fastForward(2_000);
  await untilState(page, "sent");
  assert.equal(new Set(service.posts).size, 1);
});

test("after ten tries without an answer only the visitor or the connection starts another", async () => {
  const page = await openFrozen();
  for (let index = 0; index < 11; index++) service.nextPosts.push({ kind: "lose" });
  await page.click("button");
  for (let tries = 1; tries <= 10; tries++) {
    await service.posted(tries);
    await untilState(page, "waiting");
    await page.clock.fastForward(60_000);
  }
  await service.posted(11);
  await untilState(page, "error");
  await page.clock.fastForward(3_600_000);
  assert.equal(service.posts.length, 11);
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await untilState(page, "sent");
  assert.equal(new Set(service.posts).size, 1);
});

test("while something is kept that may not have arrived, the browser asks before the page is left; before and after not", async () => {
  const leave = (page: Page) => page.evaluate(() => location.assign("/elsewhere"));
  const untouched = await openFrozen();
  await untouched.fill("input", "typed");
  await leave(untouched);
  await untouched.waitForURL("**/elsewhere");

  service.nextPosts.push({ kind: "lose" });
  const page = await openFrozen();
  await page.click("button");
  await untilState(page, "waiting");
  const [dialog] = await Promise.all([
    page.waitForEvent("dialog"),
    // Not kept before the question is answered.
    leave(page).catch(() => undefined),
    page.waitForEvent("dialog").then((asked) => asked.dismiss()),
  ]);
  assert.equal(dialog.type(), "beforeunload");
  await page.clock.fastForward(2_000);
  await untilState(page, "sent");
  page.on("dialog", () => assert.fail("asked although everything was sent"));
  await leave(page);
  await page.waitForURL("**/elsewhere");
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
});

test("a form given back is not asked about, and what was under way has no effect on it", async () => {
  const gate = Promise.withResolvers<void>();
  service.nextPosts.push({ kind: "hold", until: gate.promise });
  const page = await openFrozen();
  await page.fill("input", "typed");
  const outcome = page.evaluate(() => Reflect.get(window, "handle").submit());
  await service.posted(1);
  await page.evaluate(() => Reflect.get(window, "handle").destroy());
  gate.resolve();
  assert.equal((await outcome).sent, true);
  assert.equal(await page.inputValue("input"), "typed");
  assert.equal(await page.getAttribute("form", "data-sealpost-state"), null);

  service.nextPosts.push({ kind: "lose" });
  const given = await openFrozen();
  await given.click("button");
  await untilState(given, "waiting");
  await given.evaluate(() => Reflect.get(window, "handle").destroy());
  given.on("dialog", () => assert.fail("asked although the form was given back"));
  await given.evaluate(() => location.assign("/elsewhere"));
  await given.waitForURL("**/elsewhere");
});

/** The key version that this was sealed to takes nothing more. */
const closed = { kind: "answer", status: 410, body: { error: "conflict", code: "key_version_closed" } } as const;

test("a submission whose key has ended meanwhile is sealed once more to the newest key, and where the page pins the old one it keeps what was typed and offers it as a file", async () => {
  service.nextPosts.push({ kind: "lose" }, closed);
  const page = await openFrozen();
  await page.click("button");
  await untilState(page, "waiting");
  service.publicAnswer = (honest) => ({ body: { form: { ...honest.form, keyVersion: 2 } } });
  await page.clock.fastForward(2_000);
  await untilState(page, "sent");
  const [first, second, third] = service.posts.map((post) => JSON.parse(post));
  assert.equal(service.posts.length, 3);
  assert.deepEqual(second, first);
  assert.deepEqual([third.id, third.keyVersion], [first.id, 2]);

  // Longer than a double click.
  await page.clock.fastForward(2_000);
  service.nextPosts.push({ kind: "lose" }, closed);
  await page.click("button");
  await untilState(page, "waiting");
  service.publicAnswer = (honest) => ({ body: { form: { ...honest.form, keyFingerprint: "another" } } });
  await page.clock.fastForward(2_000);
  assert.match(await untilState(page, "error"), /wrong key. Please save your answers/);
  assert.equal(await page.inputValue("input"), "1");
});

for (const hybrid of [false, true])
  for (const isPinned of [false, true]) {
    const key = `${hybrid ? "a hybrid" : "an RSA"} key${isPinned ? " that the page pins" : ""}`;
    const options = isPinned ? { keyFingerprint: service[hybrid ? "hybridFingerprint" : "fingerprint"] } : {};

    test(`sealed by an answer that the browser has kept, to ${key} and that has ended: the page asks past every cache, and seals once more`, async () => {
      service.reset({ hybrid });
      service.publicMaxAge = 60;
      service.publicAnswer = (honest) => ({ body: { form: { ...honest.form, keyVersion: 2 } } });
      const page = await openFrozen(form, options);
      await page.focus("input");
      await page.waitForLoadState("networkidle");
      service.publicAnswer = (honest) => ({ body: honest });
      service.nextPosts.push(closed);
      await page.click("button");
      await untilState(page, "sent");
      const [first, second] = service.posts.map((post) => JSON.parse(post));
      assert.equal(service.posts.length, 2);
      assert.deepEqual([first.keyVersion, second.keyVersion, second.id], [2, 3, first.id]);
      const asked = service.requests.filter(({ path }) => path.endsWith("/public"));
      assert.deepEqual(
        asked.map(({ headers }) => headers["cache-control"] === "no-cache"),
        [false, true],
      );
      assert.deepEqual(await service.opened(), [{ a: "1" }]);
    });

    test(`a service that calls ${key} ended again, after its newest answer, gets two posts and no more`, async () => {
      service.reset({ hybrid });
      service.publicMaxAge = 60;
      service.nextPosts.push(closed, closed, closed, closed);
      const page = await openFrozen(form, options);
      await page.click("button");
      await untilState(page, "error");
      await page.clock.fastForward(600_000);
      assert.equal(service.posts.length, 2);
      assert.equal(await page.inputValue("input"), "1");
    });
  }

test("changed meanwhile, and the key of what was sent first has ended: only the change is sent", async () => {
  service.nextPosts.push({ kind: "lose" }, closed);
  const page = await openFrozen();
  await page.click("button");
  await untilState(page, "waiting");
  await page.fill("input", "2");
  await page.click("button");
  assert.equal(await untilState(page, "sent"), "Thank you, your answers were sent.");
  assert.deepEqual(await service.opened(), [{ a: "2" }]);
});

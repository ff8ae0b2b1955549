import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { embedCode } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset();
});

const form = `<form><input name="a" value="secret"><button>Send</button></form>`;

// Such as the one of a map.
for (const when of ["before", "after"] as const)
  test(`a form is sealed on a page that has put a Map of its own there ${when} the embed`, async () => {
    const replacement = "<script>window.Map = function () { this.zoom = 3 }</script>";
    const parts = when === "before" ? [replacement, form, embedCode(service)] : [form, embedCode(service), replacement];
    const posted = service.posted(1);
    const page = await site.openNext(parts.join(""));
    const address = page.url();
    // The tools of the test use the page's own as well: only this reads nothing with them.
    const { x, y } = JSON.parse(
      await read(page, "JSON.stringify(document.querySelector('button').getBoundingClientRect())"),
    );
    await page.mouse.click(x + 5, y + 5);
    await posted;
    assert.deepEqual(await service.opened(), [{ a: "secret" }]);
    assert.deepEqual(site.strays, []);
    assert.equal(page.url(), address);
  });

async function read(page: Awaited<ReturnType<typeof site.openNext>>, expression: string): Promise<string> {
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send("Runtime.evaluate", { expression });
  return result.value;
}

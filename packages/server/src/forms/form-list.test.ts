import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestService } from "../testing/test-service.ts";
import { createForm } from "./testing/test-form.ts";

test("a client that knows no pages gets every form, and one that asks for pages all of them in order", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const made: string[] = [];
  for (let count = 0; count < 120; count++) made.unshift(await createForm(account));
  const idsOf = ({ forms }: { readonly forms: readonly { readonly id: string }[] }) => forms.map(({ id }) => id);
  const whole = (await account.request("GET", "/api/forms")).body;
  assert.deepEqual([whole.total, whole.nextCursor, idsOf(whole).length], [120, null, 120]);
  const pages: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const { body } = await account.request("GET", `/api/forms?limit=50${cursor === "" ? "" : `&cursor=${cursor}`}`);
    assert.ok(body.forms.length <= 50);
    pages.push(...idsOf(body));
    cursor = body.nextCursor;
  }
  assert.deepEqual(pages, idsOf(whole));
  assert.deepEqual(pages.toSorted(), made.toSorted());
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeClock } from "../testing/fake-clock.ts";
import type { PublicForm } from "./form-store.ts";
import { createPublicForms } from "./public-forms.ts";

test("forms are remembered up to a size, whatever they hold, and none for longer than a second", async () => {
  const clock = createFakeClock(Date.now());
  let asked = 0;
  const findPublic = async (formId: string) => {
    asked += 1;
    return { form: { id: formId, origins: "x".repeat(9000) } } as unknown as PublicForm; // what counts is how long it is
  };
  const forms = createPublicForms({ findPublic }, clock, 100_000);
  for (let number = 0; number < 1000; number++) await forms.find(`form_${number}`);
  assert.ok(forms.size() <= 100_000 && forms.size() > 80_000, String(forms.size()));
  await forms.find("form_999");
  assert.equal(asked, 1000, "the newest ones are remembered");
  clock.advance(1000);
  await forms.find("form_one");
  assert.ok(forms.size() < 20_000, "what is over is gone with the next one");
  forms.forget("form_one");
  assert.equal(forms.size(), 0);
});

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formSettings } from "@sealpost/sdk";

const source = join(import.meta.dirname, "src");

test("every setting of a form is on a page of the dashboard", () => {
  const pages = globSync("**/*.tsx", { cwd: source }).map((path) => readFileSync(join(source, path), "utf8"));
  const shown = (name: string) => pages.some((page) => new RegExp(`\\b${name}\\b`).test(page));
  assert.deepEqual(
    Object.keys(formSettings).filter((name) => !shown(name)),
    [],
  );
  assert.ok(!shown("contactOfNobody"), "a control: not everything is");
});

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { formSettings } from "@sealpost/sdk";
import { auditLog } from "../texts/src/en/dashboard/audit-log.ts";

const source = join(import.meta.dirname, "src");
const root = join(import.meta.dirname, "../..");

test("every setting of a form is on a page of the dashboard", () => {
  const pages = globSync("**/*.tsx", { cwd: source }).map((path) => readFileSync(join(source, path), "utf8"));
  const shown = (name: string) => pages.some((page) => new RegExp(`\\b${name}\\b`).test(page));
  assert.deepEqual(
    Object.keys(formSettings).filter((name) => !shown(name)),
    [],
  );
  assert.ok(!shown("contactOfNobody"), "a control: not everything is");
});

test("every setting that entries of the audit log name has a name for people", () => {
  const sources = globSync("packages/server/src/**/*.ts", { cwd: root })
    .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
    .map((path) => readFileSync(join(root, path), "utf8"));
  const named = sources.flatMap((text) => [...text.matchAll(/\bsetting: "(\w+)"/g)].map(([, name = ""]) => name));
  assert.ok(new Set(named).size > 15);
  assert.deepEqual(
    [...new Set(named)].filter((name) => !Object.hasOwn(auditLog.settings, name)),
    [],
  );
});

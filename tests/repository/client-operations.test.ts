import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createOpenApiDocument } from "../../scripts/openapi-document.ts";
import { parseDocument } from "../../scripts/openapi-operations.ts";

// The packages of other languages compare themselves with a running service, where their language is installed
// (npm run test:clients). This is the same from their sources alone, so that no operation is added without them.

const root = join(import.meta.dirname, "../..");

/** Operations that a program has a use for: signing in, health and the document itself need no client. */
const needed = /^\w+ \/api\/(forms|usage|notifications|api-keys|audit-log|organizations?|members|invitations)\b/;
/** Nothing in these languages makes envelopes or entries of lists and key logs. Pages reserve ids and report refused keys, and who asks what a link invites to is not signed in. */
const withoutAny =
  /^(POST \/api\/forms\/reservations|POST \/api\/invitations\/find|(PUT|POST|DELETE) \/api\/forms\/\{\}\/envelopes\b.*|(POST|DELETE) \/api\/forms\/\{\}\/keys\/log|POST \/api\/forms\/\{\}\/keys\/refused)$/;

const languages: Readonly<Record<string, { readonly sources: string; readonly also?: readonly string[] }>> = {
  // These check no key logs.
  Python: { sources: "clients/python/src/sealpost/*.py", also: ["GET /api/forms/{}/keys/log"] },
  PHP: { sources: "clients/php/src/*.php", also: ["GET /api/forms/{}/keys/log"] },
  Go: { sources: "clients/go/*.go" },
};

/** Without the names of their parameters, which the languages spell in their own ways. */
const nameless = (operation: string) => operation.replaceAll(/\{\w*\}/g, "{}");

/** An operation as Python and PHP write it; Go has functions for the usual methods, and a constant or two. */
function findOperations(code: string): ReadonlySet<string> {
  const whole = Array.from(code.matchAll(/["']((?:GET|POST|PUT|PATCH|DELETE) \/api\/[^"']+)["']/g), ([, one]) => one);
  const byFunction = Array.from(
    code.matchAll(/\b(reading|posting|putting|toPath)\("(\/api\/[^"]+)"/g),
    ([, name = "", path]) => `${{ reading: "GET", toPath: "GET", posting: "POST", putting: "PUT" }[name]} ${path}`,
  );
  const byMember = Array.from(
    code.matchAll(/method: "(\w+)", path: "(\/api\/[^"]+)"/g),
    ([, method, path]) => `${method} ${path}`,
  );
  const byConstant = Array.from(code.matchAll(/const (\w+) = "(\/api\/[^"]+)"/g)).flatMap(([, name, path]) =>
    Array.from(
      code.matchAll(new RegExp(`(?:\\b(reading|posting)\\(|method: "(\\w+)", path: )${name}\\b`, "g")),
      ([, made, method]) => `${method ?? (made === "reading" ? "GET" : "POST")} ${path}`,
    ),
  );
  return new Set([...whole, ...byFunction, ...byMember, ...byConstant].map((one) => nameless(one ?? "")));
}

test("each package of another language has every operation that a program has a use for, and asks for no other", async () => {
  const { paths } = parseDocument(await createOpenApiDocument());
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => nameless(`${method.toUpperCase()} ${path}`)),
  );
  for (const [language, { sources, also = [] }] of Object.entries(languages)) {
    const code = globSync(sources, { cwd: root })
      .filter((path) => !path.endsWith("_test.go"))
      .map((path) => readFileSync(join(root, path), "utf8"))
      .join("\n");
    const found = findOperations(code);
    assert.ok(found.size > 30, `${language}: ${found.size}`);
    const wanted = operations.filter((one) => needed.test(one) && !withoutAny.test(one) && !also.includes(one));
    assert.deepEqual(
      wanted.filter((one) => !found.has(one)),
      [],
      language,
    );
    assert.deepEqual(
      [...found].filter((one) => !operations.includes(one)),
      [],
      language,
    );
  }
});

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { sql } from "kysely";
import type { Database } from "../../packages/server/src/database/database.ts";
import { findIndexedBytesMax, fitsIndex } from "../../packages/server/src/database/indexed-texts.ts";
import { tableNames } from "../../packages/server/src/database/table-records.ts";
import { openMigratedDatabase } from "../../packages/server/src/database/testing/migrated-database.ts";
import { testDatabaseKind } from "../../packages/server/src/testing/test-database.ts";
import { createTestService, testPassword } from "../../packages/server/src/testing/test-service.ts";
import { type Document, listPlaces, type Path, put } from "./member-places.ts";
import { createOperationCalls } from "./operation-calls.ts";
import { listDocumentOperations, listRoutes } from "./operations.ts";

interface Index {
  readonly name: string;
  /** `table.column` of each text in it. */
  readonly texts: readonly string[];
}

/** Every index of the database. The column of an expression is the one that it is made of. */
async function listIndexes(database: Database): Promise<readonly Index[]> {
  const columns = await (testDatabaseKind === "sqlite"
    ? sql<{ index: string; table: string; column: string }>`
        select indexes.name as "index", tables.name as "table", coalesce(parts.name, '') as "column"
        from sqlite_schema as tables join pragma_index_list(tables.name) as indexes
        join pragma_index_info(indexes.name) as parts on true
        left join pragma_table_info(tables.name) as known on known.name = parts.name
        where tables.type = 'table' and (parts.name is null or known.type like '%text%')`
    : sql<{ index: string; table: string; column: string }>`
        select indexes.relname as "index", tables.relname as "table", coalesce(columns.attname, '') as "column"
        from pg_index join pg_class as indexes on indexes.oid = indexrelid join pg_class as tables on tables.oid = indrelid
        cross join unnest(indkey) as part left join pg_attribute as columns on attrelid = indrelid and attnum = part and part > 0
        where tables.relnamespace = current_schema()::regnamespace
        and (part = 0 or columns.atttypid in ('text'::regtype, 'varchar'::regtype))`
  ).execute(database);
  const known = columns.rows.filter(({ table }) => tableNames.some((name) => name === table));
  const named = known.map(({ index, table, column }) => ({
    index,
    text: `${table}.${column || (expressions[index] ?? assert.fail(`${index}: name the column of its expression`))}`,
  }));
  return [...Map.groupBy(named, ({ index }) => index)].map(([name, parts]) => ({
    name,
    texts: parts.map(({ text }) => text),
  }));
}

const expressions: Readonly<Record<string, string>> = { organization_name: "name" };

test("each text in an index has a bound, and no entry of an index is too long for PostgreSQL", async (t) => {
  const indexes = await listIndexes(await openMigratedDatabase(t));
  assert.ok(indexes.length > 100, `a control: ${indexes.length}`);
  const unknown = indexes.flatMap(({ texts }) => texts).filter((text) => findIndexedBytesMax(text) === undefined);
  assert.deepEqual(unknown, [], "declare them in indexed-texts.ts, and bound them at each entry");
  const tooLong = indexes.filter(({ texts }) => !fitsIndex(texts.map((text) => findIndexedBytesMax(text) ?? 0)));
  assert.deepEqual(tooLong, []);
});

const letters = (length: number) =>
  Array.from(randomBytes(length), (byte) => "abcdefghijklmnopqrstuvwxyz234567"[byte % 32]).join("");
const signs = (length: number) =>
  Array.from(randomBytes(length), (byte) => String.fromCodePoint(0x4e00 + byte * 17)).join("");

/** Texts that one of the databases can't store, of a kind like the one that is taken. Nothing in them can be compressed. */
const hostileTexts = (text: string): readonly string[] => {
  const end = Math.max(text.lastIndexOf("@"), text.lastIndexOf("/"), 0);
  const inside = (added: string) => text.slice(0, end) + added + text.slice(end);
  const dotted = `${letters(60)}.`.repeat(120);
  return [
    ...[letters(2_800), signs(9_000)].map(inside),
    text + letters(20_000),
    text.replace("@", `@${dotted}`),
    ...["\u0000", "\ud800"].map(inside),
  ];
};

/** A text like that of a member of this name, where the example of the operation has none. */
const likely: Readonly<Record<string, string>> = {
  webhookUrl: "https://127.0.0.1:9/hook",
  successUrl: "https://example.com/thanks",
  allowedOrigins: "https://example.com",
  email: "somebody@example.com",
};

function textAt(body: unknown, place: Path): string {
  const found = place.reduce<unknown>((value, part) => Object(value)[part], body);
  if (typeof found === "string") return found;
  return likely[String(place.findLast((part) => typeof part === "string"))] ?? "text";
}

/** All texts of the database that break a bound, or that PostgreSQL can't hold. */
async function findUnstorable(database: Database): Promise<readonly string[]> {
  const indexed = new Set((await listIndexes(database)).flatMap(({ texts }) => texts));
  const tables = await database.introspection.getTables();
  const found: string[] = [];
  for (const { name: table, columns } of tables.filter(({ name }) => tableNames.some((known) => known === name)))
    for (const { name } of columns.filter(({ dataType }) => /text|char/i.test(dataType))) {
      const column = sql.ref(name);
      const { rows } = await sql<{ text: string; bytes: number }>`
        select ${column} as text, octet_length(${column}) as bytes from ${sql.table(table)} where ${column} is not null`.execute(
        database,
      );
      const bytesMax = indexed.has(`${table}.${name}`) ? (findIndexedBytesMax(`${table}.${name}`) ?? 0) : undefined;
      const longest = Math.max(0, ...rows.map(({ bytes }) => bytes));
      if (bytesMax !== undefined && longest > bytesMax) found.push(`${table}.${name}: ${longest} bytes`);
      if (rows.some(({ text }) => text.includes("\u0000") || !text.isWellFormed()))
        found.push(`${table}.${name}: no text`);
    }
  return found;
}

const start = (t: Parameters<typeof createTestService>[0]) =>
  createTestService(t, {
    apiKeyRate: 1_000_000,
    environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" },
  });

test("no operation stores a text that one of the databases can't hold, wherever in a request it is", async (t) => {
  const service = await start(t);
  const owner = await service.signUp();
  const calls = createOperationCalls(service, { hasWebhooks: false });
  const document = service.app.swagger() as unknown as Document; // the shape of OpenAPI 3.1
  const failed: string[] = [];
  const made = new Map<string, Awaited<ReturnType<typeof calls.createIds>>>();
  let places = 0;
  for (const operation of listDocumentOperations(document)) {
    const { requestBody, parameters = [] } = document.paths[operation.path]?.[operation.method.toLowerCase()] ?? {};
    const schema = requestBody?.content["application/json"]?.schema;
    const kinds = operation.path.match(/\{\w+\}/g)?.join() ?? "";
    const ids = made.get(kinds) ?? (await calls.createIds(owner, operation));
    made.set(kinds, ids);
    const { method, path, headers, body } = calls.prepare(operation, ids);
    const ask = async (what: string, asked: string, json: string | undefined) => {
      const { status } = await fetch(`${service.url}${asked}`, {
        method,
        headers: {
          ...headers,
          ...(json !== undefined && { "content-type": "application/json" }),
          authorization: `Bearer ${owner.token}`,
        },
        ...(json !== undefined && { body: json }),
      });
      if (status >= 500) failed.push(`${operation.operationId} ${what}: ${status}`);
    };
    for (const place of schema === undefined ? [] : listPlaces(document, schema)) {
      places += 1;
      const given: unknown = JSON.parse(body ?? "{}");
      for (const text of hostileTexts(textAt(given, place)))
        await ask(`${place.join(".")} ${text.length}`, path, put(given, place, JSON.stringify(text)));
    }
    // A request's first line is bounded by the HTTP parser.
    for (const { name, in: where } of parameters) {
      places += 1;
      for (const text of ["\u0000", letters(2_800), signs(1_000)].map(encodeURIComponent)) {
        const [bare = "", query = ""] = path.split("?");
        if (where === "query") await ask(name, `${bare}?${query}&${encodeURIComponent(name)}=${text}`, body);
        if (where !== "path") continue;
        const parts = operation.path.split("/").map((part, at) => (part === `{${name}}` ? text : bare.split("/")[at]));
        await ask(name, parts.join("/"), body);
      }
    }
  }
  assert.deepEqual(failed, []);
  assert.ok(places > 150, `a control: ${places}`);
  assert.deepEqual(await findUnstorable(service.database), []);
});

const person = { name: "Person", email: "somebody@example.com", password: testPassword };
const signed = { id: "AAAA", clientDataJSON: "AAAA", authenticatorData: "AAAA", signature: "AAAA", userHandle: "AAAA" };

const token = { token: "token" };
const password = { password: testPassword, code: "123456" };

/** The bodies of the routes that are in no document; a text after `#` tells two of one route apart. */
const outside: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "POST /api/auth/sign-up/email": { ...person, setupToken: "token" },
  "POST /api/auth/sign-up/email#invited": { ...person, invitation: "invitation" },
  "POST /api/auth/sign-in/email": person,
  "POST /api/auth/sign-out": {},
  "POST /api/auth/freshen-session": password,
  "POST /api/auth/change-password": { currentPassword: testPassword, newPassword: "another horse battery" },
  "POST /api/auth/revoke-session": token,
  "POST /api/auth/revoke-other-sessions": {},
  "POST /api/auth/two-factor/enable": password,
  "POST /api/auth/two-factor/disable": password,
  "POST /api/auth/two-factor/generate-backup-codes": password,
  "POST /api/auth/two-factor/keep-backup-codes": { proposal: "proposal" },
  "POST /api/auth/two-factor/verify-backup-code": { code: "abcde-fghij" },
  "POST /api/auth/two-factor/verify-totp": { code: "123456" },
  "POST /api/auth/address/confirm": token,
  "POST /api/auth/address/refuse": token,
  "POST /api/auth/verification/confirm": token,
  "POST /api/auth/verification/send": {},
  "POST /api/auth/verification/skip": {},
  "POST /api/auth/request-password-reset": { email: person.email },
  "POST /api/auth/reset-password": { newPassword: "another horse battery", token: "token" },
  "POST /api/auth/passkeys/begin": {},
  "POST /api/auth/passkeys/begin-confirm": {},
  "POST /api/auth/passkeys/begin-sign-in": {},
  "POST /api/auth/passkeys/confirm": signed,
  "POST /api/auth/passkeys/sign-in": signed,
  "POST /api/auth/passkeys": { id: "AAAA", clientDataJSON: "AAAA", attestationObject: "AAAA", transports: ["usb"] },
  "PATCH /api/auth/passkeys/{passkey_id}": { name: "Phone" },
  "DELETE /api/auth/passkeys/{passkey_id}": {},
  "POST /api/auth/oidc/begin": {},
  "POST /f/{form_id}": { message: "hello" },
  "POST /unsubscribe/{token}": {},
};

test("no route outside the document does, those of the sign-in library included", async (t) => {
  const service = await start(t);
  const owner = await service.signUp();
  const documented = new Set(listDocumentOperations(service.app.swagger()).map(({ name }) => name));
  const routes = listRoutes(service.app).filter((name) => !documented.has(name) && !name.startsWith("GET "));
  const failed: string[] = [];
  const bodies = Object.entries(outside).map(([name, body]) => ({ route: name.split("#")[0] ?? "", body }));
  const unknown = routes.filter((route) => !bodies.some((one) => one.route === route));
  assert.deepEqual(unknown, [], "say what its body is");
  const { form_id } = await createOperationCalls(service).createIds(
    owner,
    listDocumentOperations(service.app.swagger())[0] ?? assert.fail(),
  );
  for (const { route, body } of bodies.filter((one) => routes.includes(one.route))) {
    const [method = "", path = ""] = route.split(" ");
    const places = Object.keys(body).filter((name) => typeof body[name] === "string");
    // Somebody who is signed in, and a stranger.
    for (const name of places)
      for (const hostile of hostileTexts(String(body[name])))
        for (const cookie of [owner.cookie, ""]) await ask(method, path, { ...body, [name]: hostile }, cookie);
    for (const hostile of ["%00", letters(2_800), encodeURIComponent(signs(1_000))])
      if (path.includes("{")) await ask(method, path.replaceAll(/\{\w+\}/g, hostile), body, owner.cookie);
  }
  async function ask(method: string, path: string, body: object, cookie: string) {
    const isForm = path.startsWith("/f/");
    const { status } = await fetch(
      `${service.url}${path.replace("{form_id}", form_id).replaceAll(/\{\w+\}/g, "made-up")}`,
      {
        method,
        redirect: "manual",
        headers: {
          origin: service.url,
          cookie,
          "content-type": isForm ? "application/x-www-form-urlencoded" : "application/json",
        },
        body: isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body), // as above
      },
    );
    if (status >= 500) failed.push(`${method} ${path}: ${status}`);
  }
  assert.deepEqual(failed, []);
  assert.deepEqual(await findUnstorable(service.database), []);
});

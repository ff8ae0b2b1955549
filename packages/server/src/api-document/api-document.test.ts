import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createForm, listEvents, postPlain, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { eventKinds } from "../outbox/event.ts";
import { closeAnswers } from "../testing/close-answers.ts";
import { createTestService } from "../testing/test-service.ts";
import type { OpenApiDocument, Operation } from "./document-types.ts";
import { rewrite } from "./rewrite.ts";

async function start(t: Parameters<typeof createTestService>[0]) {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const { body } = await service.request("GET", "/api/openapi.json");
  const document = body as OpenApiDocument; // what the test below is about
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, operation })),
  );
  return { service, document, operations };
}

const isClosed = (value: unknown) => JSON.stringify(value)?.includes('"additionalProperties":false');

test("the document lets answers grow and closes requests, names each answer, and says whose instance it is", async (t) => {
  const { service, document, operations } = await start(t);
  for (const { name, operation } of operations) {
    assert.equal(isClosed(operation.responses), false, name);
    assert.ok(operation.description, name);
    for (const status of ["414", "500", "503"]) assert.ok(status in operation.responses, `${name} ${status}`);
    for (const [status, { description }] of Object.entries(operation.responses))
      assert.ok(description !== "Default Response" && !description.startsWith("Done:"), `${name} ${status}`);
  }
  const body = operations.find(({ operation }) => operation.operationId === "createForm")?.operation.requestBody;
  assert.ok(isClosed(body));
  const { schemas } = document.components;
  assert.equal(isClosed(schemas.Form), false);
  assert.equal(isClosed(schemas.SealedPayload), false);
  assert.ok(isClosed(schemas.SealedPayloadInput));
  // A choice between texts is one type for generators, not one for each text.
  rewrite(document, (schema) => {
    const choices = [schema.anyOf ?? []].flat().filter((choice) => Object(choice).type !== "null");
    const isOfTexts = choices.every(
      (choice) => Object(choice).const !== undefined || Object(choice).enum !== undefined,
    );
    assert.ok(choices.length === 0 || !isOfTexts, JSON.stringify(schema));
    return schema;
  });
  // A choice without a type is anything for generators.
  rewrite(document, (schema) => {
    if (Array.isArray(schema.enum)) assert.ok(schema.type !== undefined, JSON.stringify(schema));
    return schema;
  });
  // For several types, and a list whose default is null, the generators for Go and Java write code that does not compile.
  rewrite(document, (schema) => {
    const types = [schema.type].flat().filter((type) => type !== "null");
    assert.ok(types.length < 2 || !types.every((type) => typeof type === "string"), JSON.stringify(schema));
    assert.ok(!types.includes("array") || schema.default !== null, JSON.stringify(schema));
    return schema;
  });
  assert.deepEqual(schemas.Delivery && Object(schemas.Delivery.properties).status.enum, ["success", "failed"]);
  assert.deepEqual((await service.request("GET", "/api/openapi.json")).body.servers[0].url, service.url);
});

/** Names of the schemas that a part of the document leads to, by itself and by these. */
function listSchemas(
  document: OpenApiDocument,
  part: unknown,
  found: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const names = JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g);
  let all = found;
  for (const [, name = ""] of names)
    if (!all.has(name)) all = listSchemas(document, document.components.schemas[name], new Set([...all, name]));
  return all;
}

test("with their default options generators keep every schema, and make no type of a truth value alone", async (t) => {
  const { document } = await start(t);
  // Some leave out what no path leads to, such as bodies of events.
  const used = listSchemas(document, document.paths);
  assert.ok(listSchemas(document, document.webhooks).size > 0);
  assert.deepEqual(new Set(Object.keys(document.components.schemas)), used);
  // Java has an enumeration for each, which does not compile.
  rewrite(document, (schema) => {
    const isBoolean = [schema.type].flat().includes("boolean");
    assert.ok(!isBoolean || (schema.enum === undefined && schema.const === undefined), JSON.stringify(schema));
    return schema;
  });
});

test("every operation has an example of its body and of its answer in JSON, which fit their schemas", async (t) => {
  const { document, operations } = await start(t);
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false }).addSchema(
    closeAnswers(document),
    "openapi",
  );
  const check = (name: string, container: unknown, pointer: readonly string[]) => {
    const media = Object(container).content?.["application/json"];
    if (media === undefined) return;
    const path = [...pointer, "content", "application/json", "schema"]
      .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    const validate = ajv.compile({ $ref: `openapi#/${path}` });
    assert.ok(media.example !== undefined, `${name}: npm run generate:examples records one`);
    assert.ok(validate(media.example), `${name}: ${ajv.errorsText(validate.errors)}`);
  };
  for (const { name, operation } of operations) {
    const [method = "", path = ""] = name.split(" ");
    check(`${name} body`, operation.requestBody, ["paths", path, method, "requestBody"]);
    for (const [status, response] of Object.entries(operation.responses))
      if (status.startsWith("2")) check(`${name} ${status}`, response, ["paths", path, method, "responses", status]);
  }
});

test("every schema of the document, which the service checks requests by, is one by JSON Schema", async (t) => {
  const { document, operations } = await start(t);
  const ajv = new Ajv2020({ strict: false, logger: false });
  const schemas = Object.entries(document.components.schemas);
  rewrite(operations, (part) => {
    if (part.schema !== undefined) schemas.push([JSON.stringify(part.schema), Object(part.schema)]);
    return part;
  });
  assert.ok(schemas.length > 300);
  for (const [name, schema] of schemas) assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`);
  assert.equal(ajv.validateSchema({ type: "object", properties: { name: { maxLength: "3" } } }), false);
});

test("each link of the document leads to an operation, by parameters that it has", async (t) => {
  const { operations } = await start(t);
  const byId = new Map(operations.map(({ operation }) => [operation.operationId, operation]));
  const links = operations.flatMap(({ name, operation }) =>
    Object.values(operation.responses).flatMap((response) =>
      Object.values(response.links ?? {}).map((link) => ({ name, link: Object(link) })),
    ),
  );
  assert.ok(links.length > 8);
  for (const { name, link } of links) {
    const target: Operation | undefined = byId.get(link.operationId);
    assert.ok(target, `${name} → ${link.operationId}`);
    const inPath = (target.parameters ?? []).map(Object).filter((parameter) => parameter.in === "path");
    assert.deepEqual(Object.keys(link.parameters).sort(), inPath.map((parameter) => parameter.name).sort(), name);
  }
});

test("the body of every event is what the document's webhooks say, and nothing more", async (t) => {
  const { service, document } = await start(t);
  const account = await service.signUp();
  const formId = await createForm(account, { webhookUrl, encryption: false });
  const submissionId = await postPlain(service, formId, { message: "hello" });
  await account.request("PATCH", `/api/forms/${formId}`, { name: "Renamed", settings: { piiStrip: true, binDays: 3 } });
  const { publicKey } = takeKeyPair();
  await account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey });
  await account.request("DELETE", `/api/forms/${formId}/submissions/${submissionId}`);
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  ajv.addSchema(closeAnswers(document), "openapi");
  assert.deepEqual(Object.keys(document.webhooks ?? {}), [...eventKinds]);
  for (const kind of eventKinds) {
    const { $ref } = Object(document.webhooks?.[kind]).post.requestBody.content["application/json"].schema;
    const validate = ajv.compile({ $ref: `openapi${$ref}` });
    const events = await listEvents(service, formId, kind);
    assert.ok(events.length > 0, kind);
    for (const event of events) assert.ok(validate(event), `${kind}: ${ajv.errorsText(validate.errors)}`);
    assert.equal(validate({ ...events[0], extra: 1 }), false, kind);
  }
});

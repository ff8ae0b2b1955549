import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fields } from "@sealpost/wire";
import Fastify from "fastify";
import { installSchemas } from "../api-document/openapi-options.ts";
import { createFormStore } from "../forms/form-store.ts";
import { createPublicForms } from "../forms/public-forms.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createHtmlFormRoutes } from "../html-forms/html-form-routes.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { createFirstSubmissions } from "./first-submission.ts";
import { createIngest } from "./ingest.ts";
import { createPublicSubmissionRoutes } from "./public-submission-routes.ts";
import { createSubmissionStore } from "./submission-store.ts";

const secretBox = createSecretBox(createSingleRing(new Uint8Array(32)));

test("a submission is dated when its text was stripped, not when its post began", async (t) => {
  const clock = createFakeClock();
  const service = await createTestService(t, { clock });
  const formId = await createForm(await service.signUp(), { encryption: false, piiStrip: true });
  const { database } = service;
  const [forms, submissions] = [createFormStore(database), createSubmissionStore(database)];
  const routes = {
    ...{ forms, clock },
    firstSubmissions: createFirstSubmissions({ database, submissions, secretBox }),
    publicForms: createPublicForms(forms, clock),
    refusedVisitors: { note: async () => undefined },
    ingest: createIngest({ database, submissions, wakeDeliveries() {} }),
    admit: <Result>(_applicant: unknown, work: () => Promise<Result>) => work(),
    async stripFields(_form: unknown, fields: Fields) {
      clock.advance(5000);
      return fields;
    },
  };
  const app = Fastify();
  t.after(() => app.close());
  app.decorateRequest("bodyBytes", 0);
  installSchemas(app);
  await app.register(createPublicSubmissionRoutes(routes));
  await app.register(createHtmlFormRoutes(routes));
  const json = { accept: "application/json" };
  const payload = { encrypted: false, version: "plain1", fields: { name: "Ada" } };
  const plain = await app.inject({
    ...{ method: "POST", url: `/api/forms/${formId}/submissions`, headers: json },
    payload: { payload },
  });
  assert.deepEqual([plain.statusCode, plain.json().submission.receivedAt], [201, clock.now()], plain.body);
  const html = await app.inject({
    ...{ method: "POST", url: `/f/${formId}` },
    headers: { ...json, "content-type": "application/x-www-form-urlencoded" },
    payload: "name=Ada",
  });
  assert.deepEqual([html.statusCode, html.json().submission.receivedAt], [201, clock.now()], html.body);
  const stored = await submissions.list(formId, { limit: 10, bytesMax: 1_048_576 });
  assert.deepEqual(
    stored.items.map(({ submission }) => submission.receivedAt),
    [clock.now(), clock.now() - 5000],
  );
});

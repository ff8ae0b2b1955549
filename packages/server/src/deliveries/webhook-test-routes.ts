import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { createId, type Fields, type Payload, plainVersion, seal } from "@sealpost/wire";
import type { FastifyInstance, FastifyReply } from "fastify";
import { accountOf, personOf, principalOf } from "../access/access.ts";
import type { FormListItem, FormStore } from "../forms/form-store.ts";
import { loadOwnedForm } from "../forms/owned-form.ts";
import { FormIdParameters, problems, reference } from "../http/schemas.ts";
import type { NewEvent } from "../outbox/event.ts";
import { Problem } from "../problems/problem.ts";
import { type HasRoom, requireRoom } from "../quotas/room.ts";
import { tooMany } from "../rate-limits/rate-limit-hooks.ts";
import { createRateLimiter, type Quota } from "../rate-limits/rate-limiter.ts";
import type { Clock } from "../time/clock.ts";
import { hostnameOf } from "../webhooks/webhook-url.ts";
import type { DeliveryLogStore } from "./delivery-log-store.ts";
import { toLogEntry, webhookUrlMissing } from "./delivery-routes.ts";
import { TestedBody } from "./delivery-schemas.ts";
import type { SendNow } from "./delivery-worker.ts";
import { createWebhookTestLine, type Tester, testTurns } from "./webhook-test-line.ts";

export interface WebhookTestRouteDependencies {
  readonly forms: FormStore;
  readonly deliveryLog: DeliveryLogStore;
  readonly sendNow: SendNow;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

const testsPerMinute = 10;
/** Tests by one person with all forms of an organization. */
const testsOfOrganizationPerMinute = 60;
/** To one host, by a person and by everybody: each test makes this service send to somebody, and many organizations share some hosts. */
const testsToHostPerMinute = { ofPerson: 20, ofAll: 240, ofNewcomers: 120 };

/** The contents of a test event; its submission is stored nowhere. */
const sampleFields: Fields = { name: "Ada Example", email: "ada@example.com", message: "This is a test." };

/** Contract, section 9: a `submission.created` event with sample data, sent at once and once. */
export function createWebhookTestRoutes({ forms, deliveryLog, sendNow, hasRoom, clock }: WebhookTestRouteDependencies) {
  const ofForms = createRateLimiter({ name: "webhook-tests", perMinute: testsPerMinute });
  const ofOrganizations = createRateLimiter({ name: "webhook-tests", perMinute: testsOfOrganizationPerMinute });
  const ofPersons = createRateLimiter({ name: "webhook-tests", perMinute: testsToHostPerMinute.ofPerson });
  const toHosts = createRateLimiter({ name: "webhook-tests", perMinute: testsToHostPerMinute.ofAll });
  const ofNewcomers = createRateLimiter({ name: "webhook-tests", perMinute: testsToHostPerMinute.ofNewcomers });
  const line = createWebhookTestLine();

  async function count(quota: Promise<Quota>): Promise<void> {
    const counted = await quota;
    if (counted.isExceeded) throw tooMany(counted);
  }

  /** A test that is sent to a host, by its own URL or by a redirect. Each person's first within a minute has places of its own besides. */
  async function countToHost({ personId }: Tester, url: string): Promise<void> {
    const host = hostnameOf(new URL(url));
    const own = await ofPersons.consume(`${personId} ${host}`);
    if (own.isExceeded) throw tooMany(own);
    const all = await toHosts.consume(host);
    if (!all.isExceeded) return;
    if (own.remaining < own.limit - 1) throw tooMany(all);
    await count(ofNewcomers.consume(host));
  }

  /** Those who are refused by a limit use up nothing that others share. */
  async function runTest(
    item: FormListItem,
    webhookUrl: string,
    tester: Tester,
    reply: FastifyReply,
  ): Promise<string | undefined> {
    await count(ofForms.consume(`${item.form.id} ${tester.personId}`));
    await count(ofOrganizations.consume(`${tester.organizationId} ${tester.personId}`));
    const gone = new AbortController();
    const leave = () => gone.abort(new Error("The client closed the connection"));
    reply.raw.once("close", leave);
    // The client may have gone while its right was looked up.
    if (reply.raw.destroyed) leave();
    try {
      return await line.run(tester, gone.signal, async (ending) => {
        await countToHost(tester, webhookUrl);
        const mayFollow = (url: string) =>
          countToHost(tester, url).then(
            () => true,
            () => false,
          );
        return sendNow(await createTestEvent(item, clock.now()), ending, mayFollow);
      });
    } finally {
      reply.raw.off("close", leave);
    }
  }

  return async (instance: FastifyInstance): Promise<void> => {
    instance.withTypeProvider<TypeBoxTypeProvider>().route({
      method: "POST",
      url: "/api/forms/:form_id/webhook/test",
      config: { access: "forms:write" },
      schema: {
        operationId: "testWebhook",
        summary: "Send a test event to the form's webhook URL",
        description: `A \`submission.created\` event with sample data and \`test: true\`, sealed to the form's key where the form is. Answered when the receiver has answered, after 30 seconds at the latest; redirects are followed, nothing is retried. Each person has ${testsPerMinute} a minute for each form, ${testsOfOrganizationPerMinute} for all forms of an organization, and ${testsToHostPerMinute.ofPerson} to one host; all together ${testsToHostPerMinute.ofAll} to one host, and beyond them each person's first of the minute. A host that a redirect leads to counts as well. A person, and an organization, has ${testTurns.runningMaxOfOne} at once; others wait for their turn, up to ${testTurns.waitMilliseconds / 1000} seconds, and while somebody waits a test without an answer after ${testTurns.turnMilliseconds / 1000} seconds is ended.`,
        tags: ["Webhooks"],
        params: FormIdParameters,
        response: { 200: reference(TestedBody), ...problems(400, 401, 403, 404, 429, 503) },
      },
      handler: async (request, reply) => {
        const item = await loadOwnedForm(forms, request, request.params.form_id);
        const { webhookUrl } = item.form.settings;
        if (webhookUrl === null) throw webhookUrlMissing();
        await requireRoom(hasRoom, principalOf(request));
        const organizationId = accountOf(request);
        const tester = { personId: personOf(request), organizationId };
        const deliveryId = await runTest(item, webhookUrl, tester, reply);
        if (deliveryId === undefined) throw webhookUrlMissing();
        const detail = await deliveryLog.find(item.form.id, deliveryId);
        // Cut short by a shutdown, say, or its form was deleted meanwhile.
        if (detail === undefined) throw new Problem("unavailable", "The test was interrupted", { retryAfter: 1 });
        return { success: detail.line.state === "delivered", delivery: toLogEntry(detail.line) };
      },
    });
  };
}

async function createTestEvent({ form, publicKey }: FormListItem, now: number): Promise<NewEvent> {
  const submissionId = createId("submission", now);
  const { id: formId, keyVersion } = form;
  const payload: Payload = form.settings.encryption
    ? await seal(sampleFields, { formId, keyVersion, submissionId }, publicKey)
    : { encrypted: false, version: plainVersion, fields: sampleFields };
  return {
    kind: "submission.created",
    formId,
    formName: form.name,
    occurredAt: now,
    isTest: true,
    content: { submission: { id: submissionId, payload, keyVersion, timestamp: now, receivedAt: now } },
  };
}

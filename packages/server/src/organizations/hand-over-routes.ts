import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { type AccountId, createWebhookSecret, type FormId, isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { accountOf, requireFreshSession, secondFactorRequired, sessionOf } from "../access/access.ts";
import { hasSecondFactor, isSecondFactorRequired } from "../access/second-factor.ts";
import { type AuditChange, byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { EnvelopeStore } from "../forms/envelope-store.ts";
import { type Form, formsMax } from "../forms/form.ts";
import { requireMovable } from "../forms/form-hold-store.ts";
import type { FormStore } from "../forms/form-store.ts";
import { loadOwnedForm } from "../forms/owned-form.ts";
import type { PublicForms } from "../forms/public-forms.ts";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { formNotFound, Problem, refuseInvalid } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { previousSecretMilliseconds } from "../webhooks/webhook-secrets.ts";
import type { WebhookStore } from "../webhooks/webhook-store.ts";
import { handOver } from "./hand-over-store.ts";
import { organizationEnding } from "./invitations.ts";
import type { MemberStore } from "./member-store.ts";
import { HandedOverWebhookBody, HandOverInput } from "./organization-schemas.ts";
import type { OrganizationStore } from "./organization-store.ts";
import type { UndoChanges } from "./undo-changes.ts";

export interface HandOverRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly envelopes: EnvelopeStore;
  readonly members: MemberStore;
  readonly organizations: OrganizationStore;
  readonly publicForms: PublicForms;
  readonly webhooks: WebhookStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly undoChanges: Pick<UndoChanges, "findSuspectedUntil">;
  readonly clock: Clock;
  /** Called where deliveries wait for an address that is gone. */
  readonly wakePurge: () => void;
}

type ChosenWebhook = Static<typeof HandOverInput>["webhook"];

/** A form moves to another organization, with its submissions, keys and, if its owner there wants that, its webhook. Its id stays, and so do the pages that have it. */
export function createHandOverRoutes(dependencies: HandOverRouteDependencies) {
  const { database, forms, envelopes, members, organizations, publicForms, webhooks, sendSecurityMail, clock } =
    dependencies;
  const { undoChanges, wakePurge } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    app.route({
      method: "POST",
      url: "/api/forms/:form_id/hand-over",
      // Members and API keys that name the form lose it.
      config: { access: "session", changesRights: "organization" },
      schema: {
        operationId: "handOverForm",
        summary: "Hand a form to another organization that you own",
        description:
          'With its submissions, keys and settings; the pages that have it need no change. Members of the organization before reach it no longer. They know the address and the secret of its webhook: say in `webhook` whether deliveries continue to that address (else 409, `code: "form_hand_over_webhook"`, whose sentence names the host), and whether with another secret. Deliveries that wait by then go there too, signed with the secrets before for 24 hours; where the address is removed they fail, and can be sent again once there is another. A form under legal hold stays (`code: "form_held"`): lift the hold first, and all owners are notified. To hand one to somebody else, be invited there as an owner first. Needs a sign-in within the last 60 minutes.',
        tags: ["Organizations"],
        params: FormIdParameters,
        body: HandOverInput,
        response: {
          200: closed({
            success: Type.Literal(true),
            organizationId: Type.String({ description: "The organization that has the form now." }),
            webhook: Type.Optional(reference(HandedOverWebhookBody)),
          }),
          ...problems(400, 401, 403, 404, 409, 413, 415, 429),
        },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const { organizationId: to, webhook: chosen } = request.body;
        const { form } = await loadOwnedForm(forms, request, request.params.form_id);
        refuseInvalid({ organizationId: to === accountOf(request) ? "Must be another organization" : undefined });
        if (!isId("account", to)) throw notOwner();
        await requireSecondFactorThere(request, to);
        const webhook = await database
          .transaction()
          .execute((transaction) => move(transaction, request, form.id, { from: accountOf(request), to, chosen }));
        publicForms.forget(form.id);
        if (webhook?.kept === false) wakePurge();
        return { success: true as const, organizationId: to, ...(webhook !== undefined && { webhook }) };
      },
    });
  };

  /** People who could do nothing there bring nothing there either. */
  async function requireSecondFactorThere(request: FastifyRequest, to: AccountId): Promise<void> {
    const session = sessionOf(request);
    const there = (await members.listOf(session.personId)).find(({ id }) => id === to);
    const isRequired = there !== undefined && isSecondFactorRequired(there.secondFactorFrom, clock.now());
    if (isRequired && !hasSecondFactor(session)) throw secondFactorRequired();
  }

  async function move(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    formId: FormId,
    { from, to, chosen }: { readonly from: AccountId; readonly to: AccountId; readonly chosen: ChosenWebhook },
  ): Promise<Static<typeof HandedOverWebhookBody> | undefined> {
    const { personId } = sessionOf(request);
    // In one order, so that two of these never wait for each other.
    for (const id of [from, to].toSorted()) await members.lock(transaction, id);
    for (const id of [from, to]) if ((await members.findRole(id, personId, transaction)) !== "owner") throw notOwner();
    // It would be deleted there, with all that it received.
    if (await organizations.isEnding(transaction, to)) throw organizationEnding();
    const form = await forms.load(transaction, from, formId);
    if (form === undefined) throw formNotFound();
    await requireMovable(transaction, form.id);
    requireSeenWebhook(form, chosen);
    if ((await envelopes.list(form.id, transaction)).length > 0)
      throw new Problem(
        "conflict",
        "This form's private keys are in an envelope for readers of this organization: save them in a key file and remove the envelope, then hand the form over",
      );
    await envelopes.giveUpRemoved(transaction, form.id, clock.now());
    const webhook = await handOverWebhook(transaction, form, { to, chosen, by: personId });
    const outcome = await handOver(transaction, form.id, { from, to });
    if (outcome === "name_taken") throw new Problem("conflict", "A form with this name already exists");
    if (outcome === "too_many")
      throw new Problem("conflict", `An account has at most ${formsMax} forms. Delete one that is not needed first.`);
    // Last: it reads more than all before. What was written is taken back.
    const until = await undoChanges.findSuspectedUntil(transaction, from, personId);
    if (until !== undefined)
      throw new Problem(
        "conflict",
        `The email address of an owner was changed lately, or changed back: hand the form over after ${new Date(until).toISOString()}`,
      );
    const { actor } = byPrincipal(sessionOf(request));
    const target = { type: "form", id: form.id, name: form.name } as const;
    const entry = {
      ...{ actor, occurredAt: clock.now(), target },
      // The host alone: an address may hold a secret of its receiver's.
      ...(webhook !== undefined && { details: { changes: listWebhookChanges(webhook) } }),
    };
    await recordAction(transaction, { ...entry, accountId: from, action: "form.handed_over" });
    await recordAction(transaction, { ...entry, accountId: to, action: "form.taken_over" });
    for (const accountId of [from, to])
      await sendSecurityMail(transaction, {
        ...{ accountId, event: "form_handed_over", by: actor, occurredAt: entry.occurredAt },
      });
    return webhook;
  }

  /** A form without an address has another secret afterwards: nobody misses the one before. */
  async function handOverWebhook(
    transaction: DatabaseTransaction,
    { id, settings }: Form,
    { to, chosen, by }: { readonly to: AccountId; readonly chosen: ChosenWebhook; readonly by: AccountId },
  ): Promise<Static<typeof HandedOverWebhookBody> | undefined> {
    const now = clock.now();
    const isSecretKept = chosen?.secret === "kept";
    const secret = isSecretKept ? undefined : createWebhookSecret();
    const handedOver = { url: chosen?.url ?? null, secret, now, by };
    await webhooks.handOver(transaction, { id, accountId: to }, handedOver);
    if (settings.webhookUrl === null) return undefined;
    return {
      host: new URL(settings.webhookUrl).host,
      kept: chosen != null,
      secret: isSecretKept ? "kept" : "new",
      ...(chosen?.secret === "new" && { previousSecretExpiresAt: now + previousSecretMilliseconds }),
    };
  }
}

/** Anyone who hands the form over has seen its present address, and says what becomes of it. */
function requireSeenWebhook({ settings: { webhookUrl } }: Form, chosen: ChosenWebhook): void {
  if (webhookUrl === null) {
    if (chosen == null) return;
    throw new Problem("conflict", "This form has no webhook address any more");
  }
  if (chosen === null || chosen?.url === webhookUrl) return;
  throw new Problem(
    "conflict",
    `This form's webhook sends to ${new URL(webhookUrl).host}, which the organization before knows: say what becomes of it`,
  );
}

function listWebhookChanges({ host, kept, secret }: Static<typeof HandedOverWebhookBody>): readonly AuditChange[] {
  return [
    { setting: "webhookHost", from: host, to: kept ? host : null },
    { setting: "webhookSecret", from: "kept", to: secret },
  ];
}

/** Also for an organization that there is not: who guesses an id learns nothing. */
function notOwner(): Problem {
  return new Problem("forbidden", "You must own the organization that gets the form");
}

import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { createWebhookSecret, type FormId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { accountOf, personOf, principalOf, requireFreshSession, requirePermissions } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database } from "../database/database.ts";
import { requireConfirmation } from "../http/confirmation.ts";
import { closed, FormIdParameters, problems, reference } from "../http/schemas.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { recordEvents } from "../outbox/record-events.ts";
import { formNotFound, Problem, refuseInvalid } from "../problems/problem.ts";
import { type HasRoom, hasRoomFor, organizationFull, storageFull } from "../quotas/room.ts";
import type { Clock } from "../time/clock.ts";
import type { WebhookStore } from "../webhooks/webhook-store.ts";
import type { CheckWebhookUrl } from "../webhooks/webhook-url.ts";
import { listAnnounced } from "./announced-changes.ts";
import { requireAgreedWebhook, requireToRename, requireWithinRole } from "./developer-limits.ts";
import { type Form, findChanges, isOnlyLess, listChanges } from "./form.ts";
import { checkSealedLimit, createReadSettings, type FormErrors, invalidFormSettings, readName } from "./form-input.ts";
import { UpdateFormInput } from "./form-input-schemas.ts";
import { DeletedFormBody, UpdatedFormBody } from "./form-schemas.ts";
import type { FormStore } from "./form-store.ts";
import { loadOwnedForm } from "./owned-form.ts";
import type { PublicForms } from "./public-forms.ts";

export interface FormChangeRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly webhooks: WebhookStore;
  readonly checkWebhookUrl: CheckWebhookUrl;
  readonly publicForms: PublicForms;
  /** Called after a commit that may have made deliveries due. */
  readonly wakeDeliveries: () => void;
  /** Called after a commit that left rows to purge. */
  readonly wakePurge: (formId?: FormId) => void;
  readonly sendSecurityMail: SendSecurityMail;
  readonly hasRoom: HasRoom;
  readonly clock: Clock;
}

/** Contract, section 5.3: changing and deleting a form. */
export function createFormChangeRoutes({
  database,
  forms,
  webhooks,
  checkWebhookUrl,
  publicForms,
  wakeDeliveries,
  wakePurge,
  sendSecurityMail,
  hasRoom,
  clock,
}: FormChangeRouteDependencies) {
  const readSettings = createReadSettings(checkWebhookUrl);
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "PATCH",
      url: "/api/forms/:form_id",
      config: { access: "forms:write", invalidMessage: invalidFormSettings, fieldNames: "contract" },
      schema: {
        operationId: "updateForm",
        summary: "Change a form's name or settings",
        description:
          'Members that are omitted keep their value; `settings.webhookUrl: null` ends webhooks. What changed is emitted as `form.updated`; an update that changes nothing emits nothing. Only owners and managers rename a form, and API keys that are not limited to named forms. An API key that sets `settings.binDays` to fewer days needs `submissions:delete` as well. A session sets another webhook address, or switches encryption off, only within 60 minutes after its sign-in (`code: "session_stale"`). Anyone who switches it off while a developer\'s choice of the webhook address stands sends `webhookUrl` too (409, `code: "webhook_by_developer"`).',
        tags: ["Forms"],
        params: FormIdParameters,
        body: UpdateFormInput,
        response: {
          200: closed({ form: reference(UpdatedFormBody) }),
          ...problems(400, 401, 403, 404, 409, 413, 415, 429, 503),
        },
      },
      handler: async (request) => {
        const accountId = accountOf(request);
        const found = await loadOwnedForm(forms, request, request.params.form_id);
        const { name: newName, settings: newSettings } = request.body;
        const errors: FormErrors = {};
        const change = {
          ...(newName !== undefined && { name: readName(newName, errors) }),
          ...(newSettings !== undefined && { settings: await readSettings(newSettings, errors) }),
        };
        refuseInvalid(errors, invalidFormSettings);
        if (findChanges(found.form, change) === undefined) return { form: describe(found.form) };
        const isFull = !(await hasRoom());
        const isOrganizationFull = !(await hasRoomFor(hasRoom, principalOf(request)));
        const updated = await database.transaction().execute(async (transaction) => {
          // Read again here: another update may have come in while the URL was checked, and what it set is kept.
          const form = await forms.load(transaction, accountId, found.form.id);
          if (form === undefined) throw formNotFound();
          const changes = findChanges(form, change);
          if (changes === undefined) return form;
          requireToRename(request, changes);
          await requireWithinRole(request, transaction, forms, form, changes);
          await requireAgreedWebhook(transaction, webhooks, form, change, changes);
          // Where submissions go, and whether they are readable there, would outlive a stolen session.
          if (changes.settings?.webhookUrl || changes.settings?.encryption === false)
            requireFreshSession(request, clock.now());
          if (isFull && !isOnlyLess(form, changes)) throw storageFull("anythingNew");
          if (isOrganizationFull && !isOnlyLess(form, changes)) throw organizationFull();
          // Fewer days delete at once what was in the bin for longer.
          const binDays = changes.settings?.binDays;
          if (binDays !== undefined && binDays < form.settings.binDays)
            requirePermissions(request, "submissions:delete");
          const updatedAt = clock.now();
          const next = { ...form, ...changes, settings: { ...form.settings, ...changes.settings }, updatedAt };
          if (changes.settings?.encryption !== undefined || changes.settings?.submissionBytesMax !== undefined)
            checkSealedLimit(next.settings, await forms.isHybrid(transaction, form.id, form.keyVersion), errors);
          refuseInvalid(errors, invalidFormSettings);
          if ((await forms.save(transaction, next)) === "name_taken")
            throw new Problem("conflict", "A form with this name already exists");
          const url = changes.settings?.webhookUrl;
          const setBy = personOf(request);
          const isByDeveloper = principalOf(request).role === "developer";
          if (url !== undefined) await webhooks.setUrl(transaction, form, { url, setBy, isByDeveloper });
          // A secret that an organization before knows signs nothing for a receiver that it does not know.
          const isReplaced =
            url != null && (await webhooks.replaceKnown(transaction, form.id, createWebhookSecret(), updatedAt));
          const redirects = changes.settings?.webhookRedirects;
          if (redirects !== undefined) await webhooks.setRedirects(transaction, form.id, redirects);
          // Goes to the URL that the form has from now on.
          await recordEvents(transaction, [
            {
              kind: "form.updated",
              formId: form.id,
              formName: next.name,
              occurredAt: updatedAt,
              content: { changes },
            },
          ]);
          await recordAction(transaction, {
            ...byPrincipal(principalOf(request)),
            action: "form.updated",
            occurredAt: updatedAt,
            target: { type: "form", id: form.id, name: next.name },
            details: { changes: listChanges(form, next) },
          });
          if (isReplaced)
            await recordAction(transaction, {
              ...byPrincipal(principalOf(request)),
              action: "webhook_secret.rotated",
              occurredAt: updatedAt,
              target: { type: "form", id: form.id, name: next.name },
            });
          const { actor: by } = byPrincipal(principalOf(request));
          const notified = { accountId, by, occurredAt: updatedAt, formId: form.id };
          for (const announced of listAnnounced(form.settings, next.settings))
            await sendSecurityMail(transaction, { ...notified, ...announced });
          return next;
        });
        publicForms.forget(request.params.form_id);
        wakeDeliveries();
        if (change.settings?.webhookUrl === null) wakePurge();
        if (change.settings?.binDays !== undefined) wakePurge(updated.id);
        return { form: describe(updated) };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/forms/:form_id",
      config: { access: "forms:write" },
      attachValidation: true,
      schema: {
        operationId: "deleteForm",
        summary: "Delete a form and all its submissions",
        description:
          "The form is gone with the answer, its name is free again, and nothing more is delivered for it. Rows are purged in the background.",
        tags: ["Forms"],
        params: FormIdParameters,
        querystring: closed({
          confirm: Type.Literal("DELETE_FORM", { description: "Says that you mean it." }),
        }),
        response: { 200: reference(DeletedFormBody), ...problems(400, 401, 403, 404, 409, 429) },
      },
      handler: async (request) => {
        requireConfirmation(request, "Add ?confirm=DELETE_FORM to delete this form and all its submissions");
        const formId = request.params.form_id;
        const now = clock.now();
        const submissionsDeleted = await forms.remove(accountOf(request), formId, now, async (transaction, form) => {
          await recordAction(transaction, {
            ...byPrincipal(principalOf(request)),
            action: "form.deleted",
            occurredAt: now,
            target: { type: "form", id: form.id, name: form.name },
            count: form.submissions,
          });
          await sendSecurityMail(transaction, {
            accountId: accountOf(request),
            event: "form_deleted",
            by: byPrincipal(principalOf(request)).actor,
            occurredAt: now,
          });
        });
        if (submissionsDeleted === undefined) throw formNotFound();
        publicForms.forget(request.params.form_id);
        wakePurge();
        // A form that was found has the id of a form.
        return { success: true as const, deleted: { formId: formId as FormId, submissionsDeleted } };
      },
    });
  };
}

function describe({ id, name, updatedAt, settings }: Form) {
  return { id, name, updatedAt, settings };
}

import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { type FormId, isId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Static } from "typebox";
import { accountOf, requireFreshSession, sessionOf } from "../access/access.ts";
import { type AuditChange, byPrincipal, writeAuditTime } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { FormIdParameters, problems, reference } from "../http/schemas.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { formNotFound, refuseInvalid } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { parseLine } from "./form.ts";
import { changeHold, type FormHold, holdReasonLengthMax } from "./form-hold.ts";
import { FormHoldInput, HeldFormBody } from "./form-hold-schemas.ts";
import { changeFormHold, describeHold, findFormWithHold } from "./form-hold-store.ts";

export interface FormHoldRouteDependencies {
  readonly database: Database;
  /** Called after a commit that may have left something to delete. */
  readonly wakePurge: () => void;
  readonly sendSecurityMail: SendSecurityMail;
  readonly clock: Clock;
}

/** Legal holds: while one lasts, nothing of its form is deleted. Owners set and lift them. */
export function createFormHoldRoutes({ database, wakePurge, sendSecurityMail, clock }: FormHoldRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "PUT",
      url: "/api/forms/:form_id/hold",
      config: { access: "session" },
      schema: {
        operationId: "setFormHold",
        summary: "Set a legal hold on a form, or change it",
        description:
          'While it lasts, nothing of the form is deleted: no submission, neither for its age nor from the bin, not the form, and not its organization. Each attempt is answered 409 with `code: "form_held"`. It lasts until an owner lifts it; at `until`, owners are reminded by email. A `reason` or `until` that is left out is removed. Needs a sign-in of the last 60 minutes.',
        tags: ["Forms"],
        params: FormIdParameters,
        body: FormHoldInput,
        response: { 200: reference(HeldFormBody), ...problems(400, 401, 403, 404, 413, 415, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const wanted = readHold(request.body, clock.now());
        const hold = await change(request, (before, now) =>
          before === undefined
            ? { since: now, setBy: sessionOf(request).personId, ...wanted, isReminded: false }
            : changeHold(before, wanted),
        );
        return { hold: hold === undefined ? null : await describeHold(database, hold) };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/forms/:form_id/hold",
      config: { access: "session" },
      schema: {
        operationId: "liftFormHold",
        summary: "Lift a form's legal hold",
        description:
          "The form's retention and its days in the bin apply again, and delete what is too old by then within minutes. Needs a sign-in of the last 60 minutes.",
        tags: ["Forms"],
        params: FormIdParameters,
        response: { 200: reference(HeldFormBody), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        let wasHeld = false;
        await change(request, (before) => {
          wasHeld = before !== undefined;
          return undefined;
        });
        if (wasHeld) wakePurge();
        return { hold: null };
      },
    });
  };

  async function change(
    request: FastifyRequest,
    decide: (before: FormHold | undefined, now: number) => FormHold | undefined,
  ): Promise<FormHold | undefined> {
    const { form_id: formId } = request.params as Static<typeof FormIdParameters>; // its schema let it through
    if (!isId("form", formId)) throw formNotFound();
    const known = await findFormWithHold(database, accountOf(request), formId);
    if (known === undefined) throw formNotFound();
    const { hold } = known;
    if (hold !== undefined && listHoldChanges(hold, decide(hold, clock.now())).length === 0) return hold;
    let after: FormHold | undefined;
    const isFound = await database.transaction().execute((transaction) =>
      changeFormHold(transaction, accountOf(request), formId, async ({ name, hold: before }) => {
        // Not before the form is locked: of two changes the second would be dated before the first.
        const now = clock.now();
        after = decide(before, now);
        const changes = listHoldChanges(before, after);
        if (changes.length > 0) await record(transaction, request, { id: formId, name }, after, changes, now);
        return after;
      }),
    );
    if (!isFound) throw formNotFound();
    return after;
  }

  async function record(
    transaction: DatabaseTransaction,
    request: FastifyRequest,
    form: { readonly id: FormId; readonly name: string },
    after: FormHold | undefined,
    changes: readonly AuditChange[],
    occurredAt: number,
  ): Promise<void> {
    await recordAction(transaction, {
      ...byPrincipal(sessionOf(request)),
      action: after === undefined ? "form.hold_lifted" : "form.hold_set",
      occurredAt,
      target: { type: "form", ...form },
      details: { changes },
    });
    await sendSecurityMail(transaction, {
      accountId: accountOf(request),
      event: after === undefined ? "form_hold_lifted" : "form_hold_set",
      by: byPrincipal(sessionOf(request)).actor,
      occurredAt,
      formId: form.id,
    });
  }
}

/** The wanted reason and date; a blank one, or one that is left out, takes away the one before. */
function readHold({ reason, until }: Static<typeof FormHoldInput>, now: number): Pick<FormHold, "reason" | "until"> {
  const line = typeof reason === "string" && reason.trim() !== "" ? parseLine(reason, holdReasonLengthMax) : undefined;
  refuseInvalid({
    reason: line !== undefined && "issue" in line ? line.issue : undefined,
    until:
      typeof until === "number" && until <= now
        ? "Must be a moment that is still to come, in milliseconds since the Unix epoch, or null"
        : undefined,
  });
  return { reason: line !== undefined && "name" in line ? line.name : undefined, until: until ?? undefined };
}

/** Empty when nothing changes: then nobody is notified. */
function listHoldChanges(before: FormHold | undefined, after: FormHold | undefined): readonly AuditChange[] {
  const values: Readonly<Record<string, readonly [from: string | null, to: string | null]>> = {
    holdSince: [writeAuditTime(before?.since), writeAuditTime(after?.since)],
    holdReason: [before?.reason ?? null, after?.reason ?? null],
    holdUntil: [writeAuditTime(before?.until), writeAuditTime(after?.until)],
  };
  return Object.entries(values).flatMap(([setting, [from, to]]) => (from === to ? [] : [{ setting, from, to }]));
}

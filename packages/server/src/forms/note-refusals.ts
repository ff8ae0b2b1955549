import type { FastifyInstance, FastifyRequest } from "fastify";
import { codeOf } from "../problems/code-of.ts";
import type { PublicForms } from "./public-forms.ts";
import { causeOf, type PublicSide, type RefusalCause } from "./refusal-causes.ts";
import type { RefusedVisitors } from "./refused-visitors.ts";

export interface NoteRefusalDependencies {
  readonly publicForms: Pick<PublicForms, "find">;
  readonly refusedVisitors: Pick<RefusedVisitors, "note">;
}

/** Notes what the public routes of this instance refuse, after the answer: no visitor waits for it. */
export function installRefusalNotes(
  app: FastifyInstance,
  side: PublicSide,
  { publicForms, refusedVisitors }: NoteRefusalDependencies,
): void {
  app.addHook("onResponse", async (request) => {
    const cause = findCause(request, side);
    if (cause === undefined) return;
    const found = await publicForms.find(formIdOf(request));
    if (found !== undefined) await refusedVisitors.note(found, cause);
  });
}

/** By the answer's code, or by its one detail where that says more. */
function findCause(request: FastifyRequest, side: PublicSide): RefusalCause | undefined {
  const { problemReason, problemDetails } = request;
  if (problemReason !== "invalid_request") {
    const cause = causeOf(problemReason, side);
    return cause === "trapped" && !isFromBrowser(request) ? undefined : cause;
  }
  const [detail, ...others] = Object.values(problemDetails ?? {});
  return detail === undefined || others.length > 0 ? undefined : causeOf(codeOf(detail), side);
}

/**
 * Whether a browser sent the request, which all of them say to an address with HTTPS. Programs fill in honeypots every day: owners hear of it
 * where it may have been a person.
 */
function isFromBrowser({ headers }: FastifyRequest): boolean {
  return headers["sec-fetch-site"] !== undefined;
}

function formIdOf({ params }: FastifyRequest): string {
  return typeof params === "object" && params !== null && "form_id" in params ? String(params.form_id) : "";
}

import { guardKeyAgent, type OrganizationStanding } from "@sealpost/sdk/envelopes";
import { Cancelled } from "../api/describe-error.ts";
import type { EnvelopeContext } from "./context.ts";
import { type CheckedList, loadList } from "./load-list.ts";

/** An organization for which something is about to be sealed, and that this person has not used in this browser; or another one is meant here. */
export interface OrganizationQuestion {
  readonly organizationId: string;
  /** The server's name for it. */
  readonly served: string;
  readonly list: CheckedList | undefined;
  readonly standing: Exclude<OrganizationStanding, { readonly kind: "own" }>;
}

/** Shows the organization with its readers, and gives whether the person means it; where another one is meant, it says so, and the act ends. */
export type AskOrganization = (question: OrganizationQuestion) => Promise<boolean>;

/** A context that is not held to an organization yet. */
export type OpenContext = Omit<EnvelopeContext, "requireOrganization">;

/** Has whatever is sealed and signed for others wait until the person means the organization: one that was never seen here is shown first. */
export function guardContext(context: OpenContext, served: string, ask: AskOrganization): EnvelopeContext {
  /** Acts that run at once wait for one answer. */
  let asking: Promise<void> | undefined;
  const requireOrganization = () => {
    asking ??= requireOwn(guarded, served, ask).finally(() => {
      asking = undefined;
    });
    return asking;
  };
  const guarded: EnvelopeContext = {
    ...context,
    requireOrganization,
    keyAgent: guardKeyAgent(context.keyAgent, requireOrganization),
  };
  return guarded;
}

async function requireOwn(context: EnvelopeContext, served: string, ask: AskOrganization): Promise<void> {
  const { organizationId, personId, heads } = context;
  const organizations = heads.organizationsOf(personId);
  const standing = await organizations.find(organizationId);
  if (standing.kind === "own") return;
  const loaded = await loadList(context);
  const list = loaded.kind === "checked" ? loaded : undefined;
  if (standing.kind === "unseen") {
    // By such a list nothing is sealed for anybody; a key log keeps its signers, or gets the person's own key.
    if (list === undefined && loaded.kind !== "none") return;
    // Where there is no list yet, the first entry of it is for the person alone.
    const isMeant = list === undefined || isAlone(list) || (await ask({ organizationId, served, list, standing }));
    if (isMeant && (await organizations.accept(organizationId, namesOf(list, served)))) return;
  } else await ask({ organizationId, served, list, standing });
  throw new Cancelled();
}

/** Nobody but the person gets anything that is sealed there. */
export function isAlone({ list: { members } }: CheckedList): boolean {
  return members.size === 1;
}

/** The names by which an organization is shown: by the server, and by its list where that has one. */
export function namesOf(list: CheckedList | undefined, served: string): readonly string[] {
  return [served, list?.list.organizationName ?? ""].filter((name) => name !== "");
}

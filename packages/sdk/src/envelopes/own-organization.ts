import { fitName, type HeadStore, type VerifiedList } from "@sealpost/envelope";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import type { KeyAgent } from "./key-agent.ts";

/**
 * The organization that a person means on this device. A person may be in several, and which of them a session acts for, and how each is called, is the
 * server's word: forms, readers and recovery keys would be those of another one. So its id is kept next to the heads, and only the person's own acts change it.
 */
export interface OwnOrganizations {
  find(organizationId: string): Promise<OrganizationStanding>;
  /** The person was shown the organization, by these names, and means it. Whether it counts: not where another one is meant. */
  accept(organizationId: string, names: readonly string[]): Promise<boolean>;
  /** The person has switched to an organization that is called so. Under a name by which it was never accepted it is shown before it counts. */
  choose(organizationId: string, name: string): Promise<void>;
}

/** An organization that was accepted on this device, with the names that were shown then. */
export interface KnownOrganization {
  readonly id: string;
  readonly names: readonly string[];
}

export type OrganizationStanding =
  | { readonly kind: "own" }
  /** It has to be shown before anything is sealed there. `before`: how it was called when it was accepted. */
  | { readonly kind: "unseen"; readonly before: readonly string[]; readonly others: readonly KnownOrganization[] }
  /** Another one is meant. */
  | { readonly kind: "other"; readonly meant: KnownOrganization };

interface Kept {
  /** The id of the one that is meant. */
  readonly meant?: string;
  /** It was chosen, and is yet to be shown. */
  readonly isUnseen?: boolean;
  readonly known: readonly KnownOrganization[];
}

/** Beyond that, the ones that were accepted first are shown again. */
const knownMax = 256;

/** `owner`: the id of the person, where a device has several. */
export function createOwnOrganizations(store: HeadStore, owner?: string): OwnOrganizations {
  const name = owner === undefined ? "own organizations" : `organizations of ${owner}`;
  // Only this module writes these names.
  const toKept = (value: unknown) => (value as Kept | undefined) ?? { known: [] };
  return {
    async find(id) {
      const { meant, isUnseen, known } = toKept(await store.find(name));
      const namesOf = (one: string) => known.find((other) => other.id === one)?.names;
      if (meant !== undefined && meant !== id)
        return { kind: "other", meant: { id: meant, names: namesOf(meant) ?? [] } };
      const names = namesOf(id);
      if (meant === id && names !== undefined && !isUnseen) return { kind: "own" };
      return { kind: "unseen", before: names ?? [], others: known.filter((one) => one.id !== id) };
    },
    async accept(id, names) {
      let isMeant = false;
      await store.change(name, (value) => {
        const { meant = id, known } = toKept(value);
        isMeant = meant === id;
        const accepted = { id, names: [...new Set(names.map(fit))] };
        const next: Kept = { meant: id, known: [...known.filter((one) => one.id !== id), accepted].slice(-knownMax) };
        return isMeant ? next : undefined;
      });
      return isMeant;
    },
    choose: (id, called) =>
      store.change(name, (value) => {
        const { known } = toKept(value);
        const isKnown = known.some((one) => one.id === id && one.names.includes(fit(called)));
        return { meant: id, ...(!isKnown && { isUnseen: true }), known } satisfies Kept;
      }),
  };
}

const fit = (name: string) => fitName(name.trim());

/**
 * The same agent, which seals keys and signs for others only once `require` has said that the organization is meant. What puts a key of one's own in the
 * place of one's former key gives nobody anything.
 */
export function guardKeyAgent(agent: KeyAgent, require: () => Promise<void>): KeyAgent {
  return {
    ...agent,
    async sealEnvelope(request) {
      await require();
      return agent.sealEnvelope(request);
    },
    async signKeyLogEntry(entry) {
      await require();
      return agent.signKeyLogEntry(entry);
    },
    async signEntry(entry) {
      const { change, signerId } = entry;
      if (change.change !== "replace" || change.member.id !== signerId) await require();
      return agent.signEntry(entry);
    },
  };
}

/** Requires, where nobody can be asked, that `list` is of the organization that was named, or else of the one of the forms that were created before. */
export async function requireOwnOrganization(
  store: HeadStore,
  { organizationId, organizationName }: Pick<VerifiedList, "organizationId" | "organizationName">,
  named: string | undefined,
): Promise<void> {
  const own = createOwnOrganizations(store);
  const names = organizationName === undefined ? [] : [organizationName];
  if (named === organizationId) await own.choose(organizationId, organizationName ?? "");
  const isNamed = named === undefined || named === organizationId;
  if (!isNamed || !(await own.accept(organizationId, names))) throw new EnvelopeProblemError("unexpected_organization");
}

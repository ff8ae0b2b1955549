import { type KeyLogSigners, keyLogSignersMax, type VerifiedKeyLog } from "@sealpost/wire";
import type { VerifiedList } from "./list.ts";
import type { Member } from "./member.ts";

/** The differences between the signers of a log's newest entry and those of the list of members. */
export interface SignerDifferences {
  /** Keys that may sign, and are in the list in no role, or in another one than the log has them. */
  readonly wrong: readonly string[];
  /** Keys of owners, and of recovery keys that sign, which the log does not have as owners. Where the log has no room for them, none. */
  readonly missing: readonly string[];
  /** Managers who can't rotate yet, which is no danger to anybody. */
  readonly missingManagers: readonly string[];
}

/**
 * Who may sign the entry after an owner's (SPECIFICATION.md, section 20): as owners those of the list and its recovery keys that sign, as managers its
 * managers, as many as fit. Of more than fit come first `own`, then recovery keys, and then those whom the entry `before` names, so that it is not another
 * choice with each writer. Without a list the writer alone.
 */
export function findKeyLogSigners(list: VerifiedList | undefined, own: string, before?: KeyLogSigners): KeyLogSigners {
  const members = [...(list?.members.values() ?? [])];
  if (!members.some((member) => roleInLog(member) !== undefined)) return { owners: [own], managers: [] };
  const named = new Set([...(before?.owners ?? []), ...(before?.managers ?? [])]);
  const rankOf = ({ signingKey, role }: Member) =>
    [signingKey === own, role === "recovery", signingKey !== null && named.has(signingKey), true].indexOf(true);
  const ofRole = (role: "owner" | "manager") =>
    members
      .filter((member) => roleInLog(member) === role)
      .toSorted((one, other) => rankOf(one) - rankOf(other))
      .flatMap(({ signingKey }) => signingKey ?? []);
  const owners = ofRole("owner").slice(0, keyLogSignersMax);
  return { owners, managers: ofRole("manager").slice(0, keyLogSignersMax - owners.length) };
}

/**
 * Compares the newest entry with the list. Anyone who may begin a log names its signers, and the first entry is signed by one of them: so a log that
 * verifies may be continued by somebody whom nobody here knows. Without a list nothing is right but the one key `own`.
 */
export function compareKeyLogSigners(
  { entry }: Pick<VerifiedKeyLog, "entry">,
  list: VerifiedList | undefined,
  own: string | undefined,
): SignerDifferences {
  const roles = new Map(
    [...(list?.members.values() ?? [])].flatMap((member) =>
      member.signingKey === null ? [] : [[member.signingKey, roleInLog(member)] as const],
    ),
  );
  if (list === undefined && own !== undefined) roles.set(own, entry.managers.includes(own) ? "manager" : "owner");
  const wrong = [
    ...entry.owners.filter((key) => roles.get(key) !== "owner"),
    ...entry.managers.filter((key) => roles.get(key) !== "manager"),
  ];
  const named = [...entry.owners, ...entry.managers];
  const listed = (role: "owner" | "manager") => [...roles].flatMap(([key, of]) => (of === role ? [key] : []));
  const owners = listed("owner");
  return {
    wrong,
    missing: owners.length > keyLogSignersMax ? [] : owners.filter((key) => !named.includes(key)),
    missingManagers: listed("manager").filter((key) => !named.includes(key)),
  };
}

/** The role of a member in key logs. A recovery key that signs continues them as an owner does; one without a signing key only reads. */
function roleInLog({ role }: Member): "owner" | "manager" | undefined {
  if (role === "owner" || role === "recovery") return "owner";
  return role === "manager" ? "manager" : undefined;
}

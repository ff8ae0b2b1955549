import { type KeyLogEntry, keyLogSignersMax } from "@sealpost/wire";

/** The signing keys of an organization's signed list, by the role that they may have in key logs. */
export interface ListedSigners {
  /** Those of owners, and of recovery keys that sign. */
  readonly owners: ReadonlySet<string>;
  readonly managers: ReadonlySet<string>;
}

/**
 * The sentence on what of an entry's signers does not fit the list, or `undefined` (SPECIFICATION.md section 20). An API key can bring an entry too: it must
 * leave nobody able to sign whom the organization's own people did not list, and nobody out whom they did. A manager's entry changes no signer but itself, so
 * nobody but its signer is looked at: somebody else who has left must not stop the next rotation.
 */
export function findSignerIssue(
  entry: KeyLogEntry,
  before: KeyLogEntry | undefined,
  { owners, managers }: ListedSigners,
): string | undefined {
  const isManagers = before?.owners.includes(entry.signedBy) === false;
  if (isManagers)
    return managers.has(entry.signedBy) || owners.has(entry.signedBy)
      ? undefined
      : "Its signer is no manager in the organization's list of members.";
  if (!entry.owners.every((owner) => owners.has(owner)))
    return "One of its owners is no owner, and no recovery key, in the organization's list of members.";
  if (!entry.managers.every((manager) => managers.has(manager)))
    return "One of its managers is no manager in the organization's list of members.";
  const isWhole = owners.size > keyLogSignersMax || owners.size === entry.owners.length;
  return isWhole
    ? undefined
    : "It does not name all owners, and recovery keys that sign, of the organization's list of members.";
}

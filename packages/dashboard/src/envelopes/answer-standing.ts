import {
  type Change,
  findEdges,
  findSealable,
  findUnvouched,
  isUnderManagers,
  type LessenedMember,
  type Member,
  mayChange,
  recipientFingerprint,
  toConfirmed,
  type Unvouched,
  type VerifiedList,
  wasChangedSince,
} from "@sealpost/envelope";
import type { Changes } from "@sealpost/sdk/envelopes";
import { Explained } from "../api/describe-error.ts";
import { shownName } from "../texts/shown-name.ts";
import { text } from "../texts/text.ts";
import { changeList } from "./change-list.ts";
import type { EnvelopeContext } from "./context.ts";
import { type CheckedList, loadList } from "./load-list.ts";

/** Answer of a person about a member for whom nobody vouches any longer. `unsure`: they stay in the list, and nothing is sealed for them. */
export type StandingAnswer = "known" | "remove" | "unsure";

export interface StandingRow extends Unvouched {
  /** Base64url of SHA-256 of the recipient's text. */
  readonly fingerprint: string;
  readonly mayRemove: boolean;
  /** The number of the list's last entry when this was read. */
  readonly shown: number;
  /** Names of the members who have vouched for the key, where the new role needs an owner to vouch. */
  readonly vouchedBy?: readonly string[];
}

/** An entry vouches for 64 members at most. */
export const vouchedMax = 64;

/** The members about whom the person has to say something before anything is sealed for them, with what is shown of each. */
export async function toStandingRows(
  rows: readonly Unvouched[],
  { own, list: { head } }: Pick<CheckedList, "own"> & { readonly list: Pick<VerifiedList, "head"> },
): Promise<readonly StandingRow[]> {
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      fingerprint: await recipientFingerprint(row.member),
      mayRemove: mayChange(own, row.member, undefined),
      shown: head.number,
    })),
  );
}

/** Members left without anybody vouching for them by these changes. */
export async function findLosing(
  { own }: Pick<EnvelopeContext, "own">,
  list: CheckedList,
  changes: readonly LessenedMember[],
): Promise<readonly StandingRow[]> {
  return toStandingRows(await findUnvouched(list.list, { own, confirmed: list.confirmed }, changes), list);
}

/** The member who is to be an owner, a manager or a recovery key, as a row: whose key signs for everybody, about that somebody has to say something. */
export async function findGivenRole({ list, own }: CheckedList, member: Member): Promise<StandingRow> {
  const edges = findEdges(list).get(member.id);
  const backers = new Set(edges?.keys.flat());
  const vouchedBy = [...backers].flatMap((id) => list.members.get(id) ?? []).map(shownName);
  const [row] = await toStandingRows([{ member, edges: [], entry: undefined, under: undefined, depth: 0 }], {
    own,
    list,
  });
  if (row === undefined) throw new Error("Each row is given back");
  return { ...row, vouchedBy };
}

/** The entry that gives a member a role, and one that vouches for them after it, where the person has said that this is their key (`known`). */
export function giveRole(
  list: VerifiedList,
  member: Member,
  role: Member["role"],
  row?: StandingRow,
): Changes | undefined {
  const now = list.members.get(member.id);
  if (now === undefined || now.role === role) return undefined;
  const isHigh = !isUnderManagers({ role });
  if (isHigh && row === undefined) throw new TypeError("Nobody was asked about the key");
  // The word is for the key that was shown: somebody may have put another key in its place since.
  if (!isSame(now, row?.member ?? member) || (row !== undefined && !isAsShown(list, row)))
    throw new Explained(text.readers.left.roleOutdated(shownName(now)));
  const change: Change = { change: "replace", member: { ...now, role } };
  // The first of the two is the last about the member, and is the person's own.
  return isHigh ? [change, { change: "vouch", members: [now.id], shown: list.head.number + 1 }] : change;
}

/**
 * Takes those who leave out of the list, and those who go with them; then vouches for the members whom the person knows, by entries of the list where
 * their role allows it, otherwise in this browser. Begun again, it finds what is done. Gives the list as it was read back.
 */
export async function answerStanding(
  context: EnvelopeContext,
  leaving: readonly string[],
  answers: readonly (readonly [StandingRow, StandingAnswer])[],
): Promise<CheckedList> {
  const answered = (kind: StandingAnswer) => answers.filter(([, answer]) => answer === kind).map(([row]) => row);
  const removed = [...leaving, ...answered("remove").map(({ member }) => member.id)];
  for (const id of removed)
    await changeList(context, ({ list: { members } }) =>
      members.has(id) ? { change: "remove", member: { id } } : undefined,
    );
  const known = answered("known");
  let list = await changeList(context, () => undefined);
  for (let index = 0; index < known.length; index += vouchedMax) {
    const some = known.slice(index, index + vouchedMax);
    list = await changeList(context, (now) => {
      return toVouch(some.filter((row) => isToVouchFor(now, row)));
    });
  }
  return confirmHere(context, list, known);
}

/** Whom a manager's entry can't vouch for, this browser remembers. */
async function confirmHere(context: EnvelopeContext, list: CheckedList, rows: readonly StandingRow[]) {
  const { organizationId, heads, own } = context;
  const sealable = await findSealable(list.list, { own, confirmed: list.confirmed });
  const known = rows.filter((row) => isAsShown(list.list, row)).map(({ member }) => member);
  const left = known.filter((member) => isSame(list.list.members.get(member.id), member) && !sealable.has(member.id));
  if (left.length === 0) return list;
  await heads.confirm(organizationId, await Promise.all(left.map((member) => toConfirmed(list.list, member))));
  const loaded = await loadList(context);
  return loaded.kind === "checked" ? loaded : list;
}

function isToVouchFor({ list, own, sealable }: CheckedList, row: StandingRow): boolean {
  const { member } = row;
  const isAllowed = member.id !== own.id && mayChange(own, member, member);
  return isAllowed && isAsShown(list, row) && !sealable.has(member.id);
}

/** As many as fit into one entry; it names what was shown of all of them. */
export function toVouch(rows: readonly StandingRow[]): Change | undefined {
  const some = rows.slice(0, vouchedMax);
  if (some.length === 0) return undefined;
  const members = some.map(({ member }) => member.id).sort();
  return {
    change: "vouch",
    members,
    shown: some.reduce((least, { shown }) => Math.min(least, shown), Number.POSITIVE_INFINITY),
  };
}

/** Whether the member is still as they were shown. If not, the answer is dropped and they are shown again. */
export function isAsShown(list: VerifiedList, { member, shown }: StandingRow): boolean {
  return list.members.has(member.id) && !wasChangedSince(list, { number: shown }, member.id);
}

/** Somebody else may have given them another key while the person was asked. */
export function isSame(now: Member | undefined, { recipient, signingKey, role }: Member): boolean {
  return now?.recipient === recipient && now.signingKey === signingKey && now.role === role;
}

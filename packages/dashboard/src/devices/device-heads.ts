import type {
  ConfirmedInList,
  ConfirmedMember,
  DeviceHeads,
  EnvelopeHead,
  FormHeads,
  FormOwner,
  PublicHalves,
  SeenList,
} from "@sealpost/envelope";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import { type Heads, readHeads } from "../envelopes/heads.ts";

/** The lists, envelopes and key logs that this browser has seen with the key, and the members confirmed here, for another device. */
export async function collectHeads(own: PublicHalves): Promise<DeviceHeads> {
  // A browser that keeps nothing has nothing to hand over.
  return toDeviceHeads(await readHeads(own).catch(() => new Map<string, unknown>()));
}

/** The heads of everything that is kept, by its names. */
export function toDeviceHeads(kept: ReadonlyMap<string, unknown>): DeviceHeads {
  const lists: DeviceHeads["lists"][number][] = [];
  const envelopes: EnvelopeHead[] = [];
  const keyLogs: (KeyLogHead & { formId: FormId })[] = [];
  const confirmed: ConfirmedInList[] = [];
  const forms: FormOwner[] = [];
  for (const [name, value] of kept) {
    const [, kind, id = ""] = /^(list|form|key log of|confirmed in|organization of) (\S+)$/.exec(name) ?? [];
    // As `createSeenHeads` writes them.
    // Somebody has put the head aside.
    if (kind === "list" && value !== null) lists.push(...toSure(id, value as SeenList));
    if (kind === "form" && !(value as FormHeads).isRemoved) envelopes.push(...(value as FormHeads).heads);
    if (kind === "confirmed in")
      for (const member of value as readonly ConfirmedMember[]) confirmed.push({ organizationId: id, ...member });
    // Somebody has said that the form was handed over.
    if (kind === "organization of" && value !== null)
      forms.push({ formId: id as FormId, organizationId: value as string });
    // Nothing is left of a log that was given up.
    if (kind === "key log of" && value !== null) keyLogs.push({ formId: id as FormId, ...(value as KeyLogHead) });
  }
  return { lists, envelopes, keyLogs, confirmed, forms };
}

/** A list that is for reading here is so on the next device too, by the same signed head. */
function toSure(organizationId: string, { number, hash, isForReading }: SeenList): DeviceHeads["lists"] {
  return isForReading ? [] : [{ organizationId, number, hash }];
}

/** Takes what another device has seen, as far as this one has seen nothing itself, or has a list for reading alone. */
export async function takeDeviceHeads(
  heads: Heads,
  { lists, envelopes, keyLogs, confirmed, forms }: DeviceHeads,
): Promise<void> {
  for (const { organizationId, number, hash } of lists) {
    const seen = await heads.findList(organizationId);
    if (seen === undefined || seen.isForReading) await heads.advanceList(organizationId, seen, { number, hash });
  }
  for (const { formId, organizationId } of forms) await heads.claimForm(formId, organizationId);
  for (const { formId, number, hash } of keyLogs) await heads.advanceKeyLog(formId, undefined, { number, hash });
  for (const [organizationId, members] of Map.groupBy(confirmed, (member) => member.organizationId)) {
    const known = new Set((await heads.findConfirmed(organizationId)).map(({ id }) => id));
    await heads.confirm(
      organizationId,
      members.flatMap(({ organizationId: _, ...member }) => (known.has(member.id) ? [] : member)),
    );
  }
  const known = new Map<FormId, number>();
  for (const { formId } of envelopes)
    if (!known.has(formId)) known.set(formId, (await heads.findEnvelopes(formId)).heads.length);
  for (const head of envelopes) if (known.get(head.formId) === 0) await heads.advanceEnvelope(undefined, head);
}

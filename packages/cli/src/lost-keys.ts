import type { VerifiedList } from "@sealpost/envelope";
import type { LostEnvelope, LostKeys } from "@sealpost/sdk/envelopes";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import type { Person } from "./envelope-writer.ts";
import { confirm } from "./prompt.ts";
import { shownName } from "./shown-name.ts";
import { formatTime } from "./table.ts";

export interface LoseOptions {
  /** Rotates without asking whether keys may be left behind, or who gets the next one. */
  readonly loseKeys?: boolean;
}

/** Describes an envelope of which nothing opens, and who may open it. */
export async function describeLost(person: Person, lost: LostEnvelope): Promise<readonly string[]> {
  const { members } = await person.writer.loadList({ signal: person.signal });
  return [describeEnvelope(lost), ...describeClosed(lost.missing), ...describeWriters(members, lost), firstBringBack];
}

/** Has the person say that a rotation may drop these keys, and that these people read. */
export async function confirmLoss(
  context: Context,
  person: Person,
  lost: LostKeys,
  { loseKeys = false }: LoseOptions,
): Promise<void> {
  const { members } = await person.writer.loadList({ signal: person.signal });
  const { envelope, newer, missing, readers } = lost;
  const sentences = [
    ...(envelope ? [describeEnvelope(envelope)] : []),
    ...(newer.length > 0 ? [describeNewer(newer)] : []),
    ...describeClosed(missing),
    ...(envelope ? describeWriters(members, envelope) : []),
    ...(envelope ? [envelope.isBegunAhead ? firstAskWriters : firstBringBack] : []),
    ...(newer.length > 0 ? [firstAsk] : []),
    `The new key is for ${readers.map(shownName).join(", ")}.`,
  ];
  for (const sentence of sentences) say(context, sentence);
  if (loseKeys) return;
  if (!context.input.isTTY) {
    const { LostKeysError } = await import("@sealpost/sdk/envelopes");
    throw toProblemError(new LostKeysError(lost));
  }
  await confirm(context, "rotate for them, and lose these keys", "Nothing was changed", "lose");
}

function describeEnvelope({ firstVersion, newest, isBegunAhead }: LostEnvelope): string {
  if (isBegunAhead)
    return `The server lists none of the key versions of the envelope from key version ${firstVersion} on, which has keys that open here: somebody has begun it ahead of its time, or the server denies them. Its newest revision, ${newest.revision}, was stored ${formatTime(newest.createdAt)}, by the server's word.`;
  return `Nothing of the envelope from key version ${firstVersion} on opens with your key; its newest revision, ${newest.revision}, was stored ${formatTime(newest.createdAt)}, by the server's word.`;
}

function describeNewer(versions: readonly number[]): string {
  return `The form already has key version ${versions.join(", ")}, and what the server shows of its envelopes opens only older ones. Either the newest key was made with a key file, or the server hides the newest state of the envelope: then somebody named below may have been taken out in the meantime, and would read again.`;
}

function describeClosed(missing: readonly number[]): readonly string[] {
  if (missing.length === 0) return [];
  return [
    `What was sealed to key version ${missing.join(", ")} stays closed for anyone without a key file or an envelope that has its key. Revisions that came with a new key, and the newest that each person has stored, stay as long as the form; others for 90 days after the next one.`,
  ];
}

function describeWriters(members: VerifiedList["members"], { writerIds }: LostEnvelope): readonly string[] {
  const writers = [...members.values()].filter(({ id }) => writerIds.includes(id)).map(shownName);
  return writers.length === 0 ? [] : [`Its revisions were stored by ${writers.join(", ")}, by the server's word.`];
}

const firstBringBack =
  "First ask those who write or read the form to bring back what opens on their devices (`sealpost forms bring-back`); the organization's recovery key may open it too.";
const firstAskWriters =
  "First ask those who write the form whether they have rotated it to one of these versions: then ask the person who runs the server to list it again.";
const firstAsk =
  "First ask the person who rotated the form last, or an owner, who reads it. If the newest key is in a key file, put it into the envelope, under Keys in the dashboard.";

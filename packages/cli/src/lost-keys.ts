import type { LostKeys } from "@sealpost/sdk/envelopes";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import type { Person } from "./envelope-writer.ts";
import { confirm } from "./prompt.ts";
import { shownName } from "./shown-name.ts";
import { formatTime } from "./table.ts";

export interface LoseOptions {
  /** Nobody is asked whether the keys of an envelope of which nothing opens may be lost. */
  readonly loseKeys?: boolean;
}

/** Describes an envelope of which nothing opens, and who may open it. */
export async function describeLost(person: Person, lost: LostKeys): Promise<readonly string[]> {
  const { firstVersion, newest, missing, writerIds } = lost;
  const { members } = await person.writer.loadList({ signal: person.signal });
  const writers = [...members.values()].filter(({ id }) => writerIds.includes(id)).map(shownName);
  return [
    `Nothing of the envelope from key version ${firstVersion} on opens with your key; its newest revision, ${newest.revision}, was stored ${formatTime(newest.createdAt)}, by the server's word.`,
    ...(missing.length > 0
      ? [
          `What was sealed to key version ${missing.join(", ")} stays closed for anyone without a key file or an envelope that has its key. The service keeps older revisions for 90 days.`,
        ]
      : []),
    ...(writers.length > 0 ? [`Its revisions were stored by ${writers.join(", ")}, by the server's word.`] : []),
    "First ask those who write or read the form to bring back what opens on their devices (`sealpost forms bring-back`); the organization's recovery key may open it too.",
  ];
}

/** Has the person say that a rotation may lose these keys. */
export async function confirmLoss(
  context: Context,
  person: Person,
  lost: LostKeys,
  { loseKeys = false }: LoseOptions,
): Promise<void> {
  for (const sentence of await describeLost(person, lost)) say(context, sentence);
  if (loseKeys) return;
  if (!context.input.isTTY) {
    const { LostKeysError } = await import("@sealpost/sdk/envelopes");
    throw toProblemError(new LostKeysError(lost));
  }
  await confirm(context, "rotate, and lose these keys", "Nothing was changed", "lose");
}

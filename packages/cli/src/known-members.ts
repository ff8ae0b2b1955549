import type { Doubts, Member, NewMember, Unnamed, VerifiedList } from "@sealpost/envelope";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { findMembers } from "./list-members.ts";
import { ask } from "./prompt.ts";
import { shownName } from "./shown-name.ts";

// Anybody may change their own name and keys in the list, so a name alone finds a member, and says nothing about who has the key.

export interface KnownOptions {
  /** Fingerprints of the keys of all who are named. */
  readonly expectKey?: readonly string[] | undefined;
}

export const expectKeyOption = [
  "--expect-key <fingerprints>",
  "fingerprints of the members' keys, as keys listed list prints them, which they have read to you; repeatable, or with commas",
] as const;

/** The words for a table; empty for a member without such a mark. */
export function describeDoubts({ alike, ownWord }: Doubts): readonly string[] {
  return [
    ...(ownWord.includes("name") ? ["they gave themselves this name"] : []),
    ...(ownWord.includes("keys") ? ["they gave themselves this key"] : []),
    ...(alike.length > 0 ? [`looks like ${alike.map((one) => `${shownName(one)} (${one.id})`).join(", ")}`] : []),
  ];
}

export async function fingerprintOf(member: Unnamed): Promise<string> {
  const { recipientFingerprint } = await import("@sealpost/envelope");
  return recipientFingerprint(member);
}

/**
 * The ids of members for whom something is to be sealed: each is shown with the key, and asked about at a terminal, unless the key is expected. Elsewhere a
 * member with doubts has to be expected.
 */
export async function findKnownMembers(
  context: Context,
  list: VerifiedList,
  names: readonly string[],
  { expectKey }: KnownOptions,
  program?: NewMember,
): Promise<readonly string[]> {
  const ids = findMembers(list, names);
  const expected = new Set(expectKey?.map((one) => one.trim()));
  const { findDoubts } = await import("@sealpost/envelope");
  const doubtsOf = findDoubts(list);
  const seen = new Set<string>();
  for (const id of ids) {
    const member = list.members.get(id);
    if (member === undefined) continue; // `findMembers` gives members of the list alone
    const fingerprint = await fingerprintOf(member);
    seen.add(fingerprint);
    const doubts = describeDoubts(doubtsOf(member));
    const shown = [`${shownName(member)} (${member.role}, ${id}), key ${fingerprint}`, ...doubts].join("; ");
    say(context, shown);
    if (expectKey === undefined) await confirmMember(context, member, doubts);
    else if (!expected.has(fingerprint))
      throw new CommandError(
        "differs",
        `The key of ${shownName(member)} is not among those that were expected. Nothing was changed: ask them`,
      );
  }
  if (program !== undefined)
    seen.add(await confirmProgram(context, program, describeDoubts(doubtsOf(program)), expectKey));
  if ([...expected].some((one) => !seen.has(one)))
    throw new CommandError(
      "usage",
      "--expect-key has a key that is nobody's of those who are named. Nothing was changed",
    );
  return ids;
}

/** A program gets the recipient that the person has given: its name alone can be taken for somebody else's. Gives the key's fingerprint. */
async function confirmProgram(
  context: Context,
  program: NewMember,
  doubts: readonly string[],
  expectKey: readonly string[] | undefined,
): Promise<string> {
  const fingerprint = await fingerprintOf(program);
  if (doubts.length === 0) return fingerprint;
  const shown = `The program ${shownName(program)} ${doubts.join("; ")}`;
  say(context, `${shown}. Its key is ${fingerprint}`);
  if (expectKey?.some((one) => one.trim() === fingerprint)) return fingerprint;
  if (expectKey !== undefined || !context.input.isTTY)
    throw new CommandError(
      "usage",
      `${shown}. Name it otherwise, or give its key by --expect-key. Nothing was changed`,
    );
  const typed = await ask(context, "Type yes if the program is to be called so");
  if (typed.trim() !== "yes") throw new CommandError("usage", "Nothing was changed");
  return fingerprint;
}

async function confirmMember(context: Context, member: Member, doubts: readonly string[]): Promise<void> {
  if (context.input.isTTY) {
    const typed = await ask(context, "Type yes if they have read this key to you");
    if (typed.trim() !== "yes") throw new CommandError("usage", "Nothing was changed");
  } else if (doubts.length > 0)
    throw new CommandError(
      "usage",
      `Nobody else vouches for who ${shownName(member)} is: ${doubts.join("; ")}. Have them read their key to you, and give it by --expect-key. Nothing was changed`,
    );
}

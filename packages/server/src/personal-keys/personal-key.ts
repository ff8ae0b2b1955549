import { type CopyKind, copyBytesMax, findCopyKind, isRecipient } from "@sealpost/envelope/form";
import { decodeBase64Url, isInvisible, isUsableEd25519 } from "@sealpost/wire";
import { isDisplayable } from "../http/display-text.ts";
import { dayMilliseconds } from "../time/clock.ts";

/** How a copy of a personal key opens, in the order in which a person reads of them; and what its file has to be for. */
const kinds = {
  passphrase: "passphrase",
  passkey: "passkey",
  sheet: "identity",
  device: "identity",
} as const satisfies Record<string, CopyKind>;

export type Way = keyof typeof kinds;
export const ways = Object.keys(kinds) as readonly Way[]; // its keys

/** Changes that a person hears of by email. */
export type KeyChange =
  | "personal_key_made"
  | "personal_key_replaced"
  | "personal_key_restored"
  | "personal_key_given"
  | "key_copy_added"
  | "key_copy_removed"
  | "key_copy_restored";

/** More than anybody has devices. Removed ones are not counted: a stranger could fill the places with them for a month. */
export const copiesMax = 20;
/** Most copies that come with the first key, in one body of a request. */
export const firstCopiesMax = 10;
/** Removed ones too, and those of former keys, so that a person who adds and removes, or replaces, in turn keeps a bounded number of them. */
export const copiesPerDay = 20;
/** Keys that a person stores; bringing one back is not among them, so a stranger who stores as many can't keep the owner from it. */
export const keysPerDay = 5;
/** As many as are stored in the time in which they can be brought back: one that is brought back in turn with another never ends. */
export const formerKeysMax = 30 * keysPerDay;
/** So long a copy that was removed can be restored, and a key that was replaced. */
export const restorableMilliseconds = 30 * dayMilliseconds;
const nameLengthMax = 60;

/** The public halves of a person's key: an age recipient, and a signing key in base64url. */
export interface PublicHalves {
  readonly recipient: string;
  readonly signingKey: string;
}

/** A copy as its person sends it. `file` is an age file in base64url. */
export interface NewKeyCopy {
  readonly way: Way;
  readonly name: string;
  readonly file: string;
}

/** The errors of the public halves, by member. Whether anybody has the private ones is for those to say who use the key. */
export function findHalvesErrors({
  recipient,
  signingKey,
}: PublicHalves): Readonly<Record<string, string | undefined>> {
  const bytes = decodeBase64Url(signingKey);
  const isSigningKey = bytes?.length === 32 && isUsableEd25519(bytes);
  return {
    recipient: isRecipient(recipient)
      ? undefined
      : "Must be the recipient of a hybrid identity of age, age1pq1 and its letters",
    signingKey: isSigningKey ? undefined : "Must be a public key of Ed25519, 32 bytes in base64url without padding",
  };
}

/** The errors of a copy, by member. Only its header is looked at: nobody but its person opens the rest. */
export function findCopyErrors({ way, name, file }: NewKeyCopy): Readonly<Record<string, string | undefined>> {
  const kind = findKind(file);
  return {
    name: findNameError(name.trim()),
    file:
      kind === undefined
        ? `Must be a sealed copy of a personal key: an age file of at most ${copyBytesMax} bytes, in base64url without padding`
        : undefined,
    way: kind === undefined || kind === kinds[way] ? undefined : "Must be how the file opens: this one opens otherwise",
  };
}

/** The error of a copy that one key opens of the key in the place of which it came. */
export function findFormerCopyError(file: string | undefined): string | undefined {
  if (file === undefined || findKind(file) === kinds.device) return undefined;
  return "Must be for the other key: a copy with the way device";
}

function findKind(file: string): CopyKind | undefined {
  const bytes = decodeBase64Url(file);
  return bytes && findCopyKind(bytes);
}

/** Refuses characters that turn a line's direction too: a name is read next to ways that a stranger may have added. */
function findNameError(name: string): string | undefined {
  const isWrong = name.length > nameLengthMax || !isDisplayable(name) || isInvisible(name);
  return isWrong ? `A copy's name must have 1 to ${nameLengthMax} characters, on one line` : undefined;
}

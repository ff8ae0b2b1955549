import type { PublicHalves } from "@sealpost/envelope";
import { decodeBase64Url, encodeBase64Url } from "@sealpost/wire";
import { client } from "../api/client.ts";

/** How a copy of a personal key opens. */
export type Way = "passphrase" | "passkey" | "sheet" | "device";

/** A sealed copy of the key, and the way that opens it. Times are milliseconds since the Unix epoch. */
export interface KeyCopy {
  readonly id: string;
  readonly way: Way;
  readonly name: string;
  readonly createdAt: number;
  /** Null: it opens. One that was removed gives no file before it is restored. */
  readonly removedAt: number | null;
  readonly restorableUntil: number | null;
}

/** A copy to be kept: an age file of `sealKeyCopy`, and a name of 1 to 60 characters. */
export interface NewCopy {
  readonly way: Way;
  readonly name: string;
  readonly file: Uint8Array<ArrayBuffer>;
}

/** A key that another one has replaced. Times are milliseconds since the Unix epoch. */
export interface FormerKey extends PublicHalves {
  readonly createdAt: number;
  readonly replacedAt: number;
  readonly restorableUntil: number;
  /** The id of a copy of this key that its replacement opens; `null` if it was lost. */
  readonly copyId: string | null;
  readonly copies: readonly KeyCopy[];
}

interface PersonalKeyState {
  readonly personalKey: PublicHalves | null;
  readonly copies: readonly KeyCopy[];
  readonly formerKeys: readonly FormerKey[];
}

/** The signing key of the key in use, and that key sealed for the one in its place, where it is open. */
interface InPlace {
  readonly replaces: string;
  readonly formerCopy: Uint8Array<ArrayBuffer> | undefined;
}

/** The head of an organization's signed list, signed with the key that comes into use. */
export interface OrganizationHead {
  readonly organizationId: string;
  readonly signedHead: string;
}

/**
 * The person's key, as the server has it: public halves, and files that are sealed. All changes need a sign-in within the last 60
 * minutes (`session_stale`). Sending `create` or `add` again with the same bytes, after an answer that got lost, changes nothing.
 */
export const personalKeyApi = {
  find: (): Promise<PersonalKeyState> => client.personalKey.get(),
  /** At most 10 copies, one of them for a sheet. `personal_key_exists`: there is another key. */
  create: ({ recipient, signingKey }: PublicHalves, copies: readonly NewCopy[]): Promise<PersonalKeyState> =>
    client.personalKey.create({ recipient, signingKey, copies: copies.map(toBody) }),
  /** Puts another key in the place of the one in use. `personal_key_changed`: that is another by now. */
  replace: (
    { recipient, signingKey }: PublicHalves,
    copies: readonly NewCopy[],
    { signedHeads, ...inPlace }: InPlace & { readonly signedHeads: readonly OrganizationHead[] },
  ): Promise<PersonalKeyState> => {
    const key = { recipient, signingKey, copies: copies.map(toBody) };
    return client.personalKey.replace({ ...key, ...toInPlace(inPlace), signedHeads: [...signedHeads] });
  },
  /** The age file of a copy; empty, which nothing opens, where the server's answer is no base64url. */
  loadFile: async (copyId: string): Promise<Uint8Array<ArrayBuffer>> =>
    decodeBase64Url(await client.personalKey.getCopy(copyId)) ?? new Uint8Array(),
  /** `signingKey`: that of the key in the copy. */
  add: (copy: NewCopy, signingKey: string): Promise<KeyCopy> =>
    client.personalKey.addCopy({ ...toBody(copy), signingKey }),
  /** For 30 days it can be restored. `key_copy_last_sheet`: one for a sheet has to stay. */
  remove: (copyId: string): Promise<KeyCopy> => client.personalKey.removeCopy(copyId),
  restore: (copyId: string): Promise<KeyCopy> => client.personalKey.restoreCopy(copyId),
  /** Brings back a key that was replaced within 30 days. */
  restoreKey: ({ signingKey, ...inPlace }: InPlace & Pick<PublicHalves, "signingKey">): Promise<PersonalKeyState> =>
    client.personalKey.restore({ signingKey, ...toInPlace(inPlace) }),
};

function toBody({ way, name, file }: NewCopy) {
  return { way, name, file: encodeBase64Url(file) };
}

function toInPlace({ replaces, formerCopy }: InPlace) {
  return { replaces, ...(formerCopy && { formerCopy: encodeBase64Url(formerCopy) }) };
}

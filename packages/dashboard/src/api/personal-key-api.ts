import type { PublicHalves } from "@sealpost/envelope";
import { decodeBase64Url, encodeBase64Url } from "@sealpost/wire";
import { queryOptions } from "@tanstack/react-query";
import { client } from "./client.ts";

/** How a copy of a personal key opens. */
export type Way = "passphrase" | "passkey" | "sheet" | "device";

/** A sealed copy of the personal key, as the service lists it. Times are milliseconds since the Unix epoch. */
export interface KeyCopy {
  readonly id: string;
  readonly way: Way;
  readonly name: string;
  readonly createdAt: number;
  /** Null: it opens. One that was removed gives no file before it is restored. */
  readonly removedAt: number | null;
  readonly restorableUntil: number | null;
}

/** The person's key in the service's words: nothing may be wrapped because of them. Copies that were removed are among them. */
export interface PersonalKeyState {
  readonly personalKey: (PublicHalves & { readonly createdAt: number }) | null;
  readonly copies: readonly KeyCopy[];
}

/** A copy to be kept: an age file of `sealKeyCopy`, and a name of 1 to 60 characters. */
export interface NewKeyCopy {
  readonly way: Way;
  readonly name: string;
  readonly file: Uint8Array;
}

/**
 * The personal key's public halves and sealed copies. All changes need a sign-in within the last 60 minutes (`session_stale`). Sending
 * `make` or `add` again with the same bytes, after an answer that got lost, changes nothing and answers the same.
 */
export const personalKeyApi = {
  find: (): Promise<PersonalKeyState> => client.personalKey.get(),
  /** At most 10 copies, one of them for a sheet. `personal_key_exists`: there is another key. */
  make: (halves: PublicHalves, first: readonly NewKeyCopy[]): Promise<PersonalKeyState> =>
    client.personalKey.create({
      recipient: halves.recipient,
      signingKey: halves.signingKey,
      copies: first.map(toBody),
    }),
  /** The age file of a copy. */
  async load(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = decodeBase64Url(await client.personalKey.getCopy(id));
    if (bytes === undefined) throw new Error("The server answered with a damaged copy of the key");
    return bytes;
  },
  add: (copy: NewKeyCopy): Promise<KeyCopy> => client.personalKey.addCopy(toBody(copy)),
  /** For 30 days it can be restored. `key_copy_last_sheet`: one for a sheet has to stay. */
  remove: (id: string): Promise<KeyCopy> => client.personalKey.removeCopy(id),
  restore: (id: string): Promise<KeyCopy> => client.personalKey.restoreCopy(id),
};

export const personalKeyQuery = queryOptions({ queryKey: ["personal-key"], queryFn: personalKeyApi.find });

function toBody({ way, name, file }: NewKeyCopy) {
  return { way, name, file: encodeBase64Url(file) };
}

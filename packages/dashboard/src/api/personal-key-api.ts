import type { PublicHalves } from "@sealpost/envelope";
import { decodeBase64Url, encodeBase64Url } from "@sealpost/wire";
import { queryOptions } from "@tanstack/react-query";
import { send } from "./session-api.ts";

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

const key = "/api/account/personal-key";
const copies = "/api/account/key-copies";

/**
 * The personal key's public halves and sealed copies. All changes need a sign-in within the last 60 minutes (`session_stale`). Sending
 * `make` or `add` again with the same bytes, after an answer that got lost, changes nothing and answers the same.
 */
export const personalKeyApi = {
  find: (): Promise<PersonalKeyState> => send("GET", key),
  /** At most 10 copies, one of them for a sheet. `personal_key_exists`: there is another key. */
  make: ({ recipient, signingKey }: PublicHalves, first: readonly NewKeyCopy[]): Promise<PersonalKeyState> =>
    send("POST", key, { recipient, signingKey, copies: first.map(toBody) }),
  /** The age file of a copy. */
  async load(id: string): Promise<Uint8Array<ArrayBuffer>> {
    const { file } = await send<{ readonly file: string }>("GET", `${copies}/${id}`);
    const bytes = decodeBase64Url(file);
    if (bytes === undefined) throw new Error("The server answered with a damaged copy of the key");
    return bytes;
  },
  add: (copy: NewKeyCopy): Promise<KeyCopy> => copyOf("POST", copies, toBody(copy)),
  /** For 30 days it can be restored. `key_copy_last_sheet`: one for a sheet has to stay. */
  remove: (id: string): Promise<KeyCopy> => copyOf("DELETE", `${copies}/${id}`, {}),
  restore: (id: string): Promise<KeyCopy> => copyOf("POST", `${copies}/${id}/restore`, {}),
};

export const personalKeyQuery = queryOptions({ queryKey: ["personal-key"], queryFn: personalKeyApi.find });

function toBody({ way, name, file }: NewKeyCopy) {
  return { way, name, file: encodeBase64Url(file) };
}

async function copyOf(method: string, path: string, body: object): Promise<KeyCopy> {
  return (await send<{ readonly copy: KeyCopy }>(method, path, body)).copy;
}

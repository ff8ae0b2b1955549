import type { CallOptions, Calls } from "./call.ts";
import { afterTag, toFileTag, toTag, unlessTag } from "./version-tag.ts";

/** An end of a signed list: the number of its last entry, and that entry's hash. */
export interface MemberListHead {
  readonly number: number;
  readonly hash: string;
}

/** A name and the salt of the commitment to it, as the file of names next to the list has them. */
export interface MemberListName {
  readonly commitment: string;
  readonly salt: string;
  readonly name: string;
}

/** An entry, its two lines, with the names that it commits to: what `createListEntry` of `@sealpost/envelope` gives. */
export interface SignedListEntry {
  readonly entry: string;
  /** None where it commits to nothing new. */
  readonly names?: readonly MemberListName[];
}

const givenBackAtOnce = 12;

/** The organization's signed list of members. Verify what it gives with `@sealpost/envelope`: no server is to be believed about it. */
export function createMemberListClient({ call, bytes }: Calls) {
  return {
    /** The bytes of the list's newest page, of up to 4,096 entries; `undefined` if `known` is still its head. Rejects with `member_list_not_found` if the organization has no list. */
    get: async (known?: MemberListHead, options?: CallOptions): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const headers = unlessTag(known && toTag(known.number, known.hash));
      return (await bytes("GET /api/member-list", { headers }, options))?.bytes;
    },
    /** The bytes of the page that has the entry of this number. `fetchPages` of `@sealpost/envelope` gets all of them. */
    page: async (entry: number, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> =>
      (await bytes("GET /api/member-list", { query: { entry } }, options))?.bytes ?? new Uint8Array(),
    /**
     * The bytes of the entries from this one on, up to 4,096, for those who keep what they have verified; `undefined` if `known` is still the list's head.
     * Rejects with `member_list_not_found` if there is no such entry.
     */
    from: async (
      entry: number,
      known?: MemberListHead,
      options?: CallOptions,
    ): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const headers = unlessTag(known && toTag(known.number, known.hash));
      return (await bytes("GET /api/member-list", { query: { from: entry }, headers }, options))?.bytes;
    },
    /**
     * The bytes of the file of names next to the list, for `verifyList`, which takes no name that it does not prove. Ask for it after the list. `known`: a
     * file that you have, which is given back where it is still the same.
     */
    names: async ({
      known,
      ...options
    }: CallOptions & { readonly known?: Uint8Array<ArrayBuffer> | undefined } = {}): Promise<
      Uint8Array<ArrayBuffer>
    > => {
      const headers = unlessTag(known && (await toFileTag(known)));
      return (await bytes("GET /api/member-list/names", { headers }, options))?.bytes ?? known ?? new Uint8Array();
    },
    /**
     * Adds an entry to follow `head` (`undefined`: the first). Rejects with `precondition_failed` when somebody else
     * was faster. Wants a session token. `next` in the options is one more entry, which follows it: both are added, or neither.
     */
    add: async (
      { entry, names = [] }: SignedListEntry,
      head: MemberListHead | undefined,
      { next, ...options }: CallOptions & { readonly next?: SignedListEntry } = {},
    ) => {
      const headers = afterTag(head && toTag(head.number, head.hash));
      const all = [...names, ...(next?.names ?? [])];
      const body = { entry, ...(next !== undefined && { next: next.entry }), ...(all.length > 0 && { names: all }) };
      return (await call("POST /api/member-list", { body, headers }, options)).head;
    },
    /**
     * Gives entries back that a service has lost, after a restored backup say, to follow `head`, its end (`undefined`: it has none), in requests of 12. They
     * may be signed by anybody: `followList` of `@sealpost/envelope` finds them. Wants a session token.
     */
    giveBack: async (
      entries: readonly string[],
      head: MemberListHead | undefined,
      { names = [], ...options }: CallOptions & { readonly names?: readonly MemberListName[] } = {},
    ): Promise<MemberListHead | undefined> => {
      let after = head;
      for (let at = 0; at < entries.length; at += givenBackAtOnce) {
        const some = [...entries.slice(at, at + givenBackAtOnce)];
        const text = some.join("");
        const own = names.filter(({ commitment }) => text.includes(commitment)).slice(0, givenBackAtOnce);
        const headers = afterTag(after && toTag(after.number, after.hash));
        const body = { entries: some, ...(own.length > 0 && { names: own }) };
        after = (await call("POST /api/member-list/lost", { body, headers }, options)).head;
      }
      return after;
    },
  };
}

import type { CallOptions, Calls } from "./call.ts";
import { afterTag, toTag, unlessTag } from "./version-tag.ts";

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

/** The organization's signed list of members. Verify what it gives with `@sealpost/envelope`: no server is to be believed about it. */
export function createMemberListClient({ call, bytes }: Calls) {
  return {
    /** The list's bytes; `undefined` where `known` is still its head. Rejects with `member_list_not_found` while there is none. */
    get: async (known?: MemberListHead, options?: CallOptions): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const headers = unlessTag(known && toTag(known.number, known.hash));
      return (await bytes("GET /api/member-list", { headers }, options))?.bytes;
    },
    /** The bytes of the file of names next to the list, for `verifyList`, which takes no name that it does not prove. Ask for it after the list. */
    names: async (options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> =>
      (await bytes("GET /api/member-list/names", {}, options))?.bytes ?? new Uint8Array(),
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
  };
}

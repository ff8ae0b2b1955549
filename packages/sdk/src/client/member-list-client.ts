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

/** Another part of a list, all of its lines: what `createListPart` of `@sealpost/envelope` gives. */
export interface SignedListPart {
  readonly part: string;
  readonly names?: readonly MemberListName[];
}

/** The organization's signed list of members. Verify what it gives with `@sealpost/envelope`: no server is to be believed about it. */
export function createMemberListClient({ call, bytes }: Calls) {
  return {
    /** The bytes of the list's newest part; `undefined` if `known` is still its head. Rejects with `member_list_not_found` if the organization has no list. */
    get: async (known?: MemberListHead, options?: CallOptions): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const headers = unlessTag(known && toTag(known.number, known.hash));
      return (await bytes("GET /api/member-list", { headers }, options))?.bytes;
    },
    /** The bytes of the part that has the entry of this number. The part before one ends with the entry before its first. */
    part: async (entry: number, options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> =>
      (await bytes("GET /api/member-list", { query: { entry } }, options))?.bytes ?? new Uint8Array(),
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
    /** Begins another part to follow `head`: all of it is added, or nothing. Rejects as `add` does, and wants a session token of an owner. */
    begin: async ({ part, names = [] }: SignedListPart, head: MemberListHead, options: CallOptions = {}) => {
      const headers = afterTag(toTag(head.number, head.hash));
      const body = { part, ...(names.length > 0 && { names: [...names] }) };
      return (await call("POST /api/member-list/parts", { body, headers }, options)).head;
    },
  };
}

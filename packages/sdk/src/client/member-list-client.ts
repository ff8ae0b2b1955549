import type { CallOptions, Calls } from "./call.ts";
import { afterTag, toTag, unlessTag } from "./version-tag.ts";

/** An end of a signed list: the number of its last entry, and that entry's hash. */
export interface MemberListHead {
  readonly number: number;
  readonly hash: string;
}

/** The organization's signed list of members. Verify what it gives with `@sealpost/envelope`: no server is to be believed about it. */
export function createMemberListClient({ call, bytes }: Calls) {
  return {
    /** The list's bytes; `undefined` where `known` is still its head. Rejects with `member_list_not_found` while there is none. */
    get: async (known?: MemberListHead, options?: CallOptions): Promise<Uint8Array<ArrayBuffer> | undefined> => {
      const headers = unlessTag(known && toTag(known.number, known.hash));
      return (await bytes("GET /api/member-list", { headers }, options))?.bytes;
    },
    /**
     * Adds an entry, its two lines, to follow `head` (`undefined`: the first). Rejects with `precondition_failed` when somebody else
     * was faster. Wants a session token. `next` in the options is one more entry, which follows it: both are added, or neither.
     */
    add: async (
      entry: string,
      head: MemberListHead | undefined,
      { next, ...options }: CallOptions & { readonly next?: string } = {},
    ) => {
      const headers = afterTag(head && toTag(head.number, head.hash));
      const body = { entry, ...(next !== undefined && { next }) };
      return (await call("POST /api/member-list", { body, headers }, options)).head;
    },
  };
}

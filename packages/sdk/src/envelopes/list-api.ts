import { fetchEntriesFrom, fetchPages, type ListHead, type LostEntries, type SignedEntry } from "@sealpost/envelope";
import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import { orNone } from "../client/or-none.ts";
import type { SendChange } from "./envelope-api.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The requests about an organization's signed list. Nothing that they answer has been checked. */
export interface ListApi {
  /** All of its pages; `undefined` where the server says that there is none. */
  fetchList(): Promise<Bytes | undefined>;
  /** The entries from the one of this head on; `unchanged` where the server says that it is the last, `undefined` where it has none of this number. */
  fetchFrom(head: ListHead): Promise<Bytes | "unchanged" | undefined>;
  /** The file of names next to it. `known`: one that is here, which is given back where the server says that it is the same. */
  fetchNames(known?: Bytes): Promise<Bytes | undefined>;
  /** Adds an entry after `head`, or the first one; 412 where the list has another head. `next` follows it: both are added, or neither. */
  addEntry(entry: SignedEntry, head: ListHead | undefined, next?: SignedEntry): Promise<unknown>;
  /** Gives entries back that the server has lost. Whether it has taken them: not where the credential may not, or somebody else was faster. */
  giveListBack(lost: LostEntries): Promise<boolean>;
}

/** The requests of an instance. */
export function createListApi(
  { memberList }: Pick<Client, "memberList">,
  options?: CallOptions,
  sendChange: SendChange = (send) => send(),
): ListApi {
  return {
    fetchList: () =>
      fetchPages((entry) =>
        orNone(entry === undefined ? memberList.get(undefined, options) : memberList.page(entry, options)),
      ),
    async fetchFrom(head) {
      let isUnchanged = false;
      const later = await fetchEntriesFrom(head.number, async (entry) => {
        const isFirst = entry === head.number;
        const page = await orNone(askFrom(entry, isFirst ? head : undefined));
        isUnchanged ||= page === "unchanged";
        return page === "unchanged" ? undefined : page;
      });
      return isUnchanged ? "unchanged" : later;
    },
    fetchNames: (known) => orNone(memberList.names({ ...options, known })),
    addEntry: (entry, head, next) =>
      sendChange(() => memberList.add(entry, head, { ...options, ...(next !== undefined && { next }) })),
    async giveListBack({ entries, after, names }) {
      try {
        await sendChange(() => memberList.giveBack(entries, after, { ...options, names }));
        return true;
      } catch (error) {
        // The refusal of the list says more than that the service has not taken its end.
        if (options?.signal?.aborted) throw error;
        return false;
      }
    },
  };

  async function askFrom(entry: number, known: ListHead | undefined): Promise<Bytes | "unchanged"> {
    return (await memberList.from(entry, known, options)) ?? "unchanged";
  }
}

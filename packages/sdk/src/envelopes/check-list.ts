import { RefusalError, type VerifiedList, verifyKeptList } from "@sealpost/envelope";
import type { KnownList } from "./envelope-client.ts";
import type { ListToCheck } from "./key-agent.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** Lists that were checked in this very thread. What comes from another one is a copy, which is not among them. */
const checkedHere = new WeakMap<ListToCheck, VerifiedList>();

/** The list as an agent gets it. */
export function toListToCheck({ list, bytes, names }: KnownList): ListToCheck {
  const toCheck = { organizationId: list.organizationId, bytes, names, head: list.head };
  checkedHere.set(toCheck, list);
  return toCheck;
}

/** The last list that came from another thread. A head fixes all that a list ending with it says, so its bytes need no second look; names come and go. */
let lastChecked: { readonly list: VerifiedList; readonly names: Bytes } | undefined;

export async function checkList(toCheck: ListToCheck): Promise<VerifiedList> {
  const checked = checkedHere.get(toCheck);
  if (checked !== undefined) return checked;
  const { organizationId, bytes, names, head } = toCheck;
  const last = lastChecked?.list.organizationId === organizationId ? lastChecked : undefined;
  if (last !== undefined && last.list.head.hash === head.hash && isSameBytes(last.names, names)) return last.list;
  // The thread that passes the head on has verified each entry, and the head fixes them all.
  const list = await verifyKeptList(bytes, { organizationId, head, names });
  if (list instanceof RefusalError) throw list;
  lastChecked = { list, names };
  return list;
}

function isSameBytes(one: Bytes, other: Bytes): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

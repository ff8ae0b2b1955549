import { type Change, RefusalError } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import type { EnvelopeContext } from "./context.ts";
import { type LoadedList, loadList } from "./load-list.ts";

/** `none`: there is no list, and only an owner begins one. `lost`: the server took the first entry, and shows no list. */
export type FoundList = LoadedList | { readonly kind: "refused"; readonly reason: "lost_list" };

/**
 * The organization's list. Where there is none, an owner begins it with an entry for oneself, which is read back before it counts. Where somebody
 * else was faster, theirs is loaded.
 */
export async function findOrFoundList(context: EnvelopeContext): Promise<FoundList> {
  const loaded = await loadList(context);
  if (loaded.kind !== "none" || !context.isOwner) return loaded;
  const { organizationId, personId, own } = context;
  const member = { id: personId, name: toListName(context.personName), role: "owner", ...own } as const;
  const change: Change = { change: "add", member };
  const signed = await context.keyAgent.signEntry({ organizationId, change, signerId: personId });
  if (signed instanceof RefusalError) throw signed;
  try {
    await context.api.addEntry(signed, undefined);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 412)) throw error;
  }
  const stored = await loadList(context);
  return stored.kind === "none" ? { kind: "refused", reason: "lost_list" } : stored;
}

/** A name as lists take it: at most 100 characters, without those that end a line or turn the direction of a text. */
export function toListName(name: string): string {
  const kept = name.replace(/[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu, "");
  return [...kept.trim()].slice(0, 100).join("") || "Owner";
}

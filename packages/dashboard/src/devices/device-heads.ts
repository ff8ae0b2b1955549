import type { DeviceHeads, EnvelopeHead, FormHeads, ListHead } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { readAllHeads } from "../envelopes/head-store.ts";
import type { Heads } from "../envelopes/heads.ts";

/** The lists and envelopes that this browser has seen, for another device. */
export async function collectHeads(): Promise<DeviceHeads> {
  const lists: (ListHead & { organizationId: string })[] = [];
  const envelopes: EnvelopeHead[] = [];
  // A browser that keeps nothing has nothing to hand over.
  const kept = await readAllHeads().catch(() => new Map<string, unknown>());
  for (const [name, value] of kept) {
    const [kind, id = ""] = name.split(" ");
    // As `createSeenHeads` writes them.
    if (kind === "list") lists.push({ organizationId: id, ...(value as ListHead) });
    if (kind === "form" && !(value as FormHeads).isRemoved) envelopes.push(...(value as FormHeads).heads);
  }
  return { lists, envelopes };
}

/** Takes what another device has seen, as far as this one has seen nothing itself. */
export async function takeDeviceHeads(heads: Heads, { lists, envelopes }: DeviceHeads): Promise<void> {
  for (const { organizationId, number, hash } of lists)
    await heads.advanceList(organizationId, undefined, { number, hash });
  const known = new Map<FormId, number>();
  for (const { formId } of envelopes)
    if (!known.has(formId)) known.set(formId, (await heads.findEnvelopes(formId)).heads.length);
  for (const head of envelopes) if (known.get(head.formId) === 0) await heads.advanceEnvelope(undefined, head);
}

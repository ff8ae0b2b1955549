import type { ListHead } from "../list.ts";
import { createList, headOf, type Step, steps } from "./list-maker.ts";
import { findPersonalKey, type KeyName, organizationId } from "./people.ts";

/** One entry of vectors/first-sights.json: a list that a device sees for the first time, with a head that its person has signed on another one. */
export interface FirstSightVector {
  readonly name: string;
  readonly organizationId: string;
  readonly list: string;
  /** The list head that the signed head names, which was checked before. */
  readonly signedHead: ListHead;
  /** The person's; their key is open. */
  readonly signingKey: string;
  /** Brought by the person next: the signing key of sheets, or the head of a link that they answer, or of another device. */
  readonly brought?: { readonly signingKey: string } | { readonly head: ListHead };
  readonly outcome: "checked" | "for_reading";
}

interface Sight {
  readonly list: readonly Step[];
  /** Entries up to the signed head; all of them when absent. */
  readonly signed?: number;
  readonly key: KeyName;
  readonly sheets?: KeyName;
  /** The number of the entry that is brought as a head. */
  readonly head?: number;
}

/** A former owner continues the list from when they were one, with a recovery key of their own, which signs at once. */
const continued: readonly Step[] = [
  ...steps.owners,
  { of: "signing recovery", by: "second owner" },
  { change: "replace", of: "second owner", by: "signing recovery" },
];

export async function firstSightVectors(): Promise<readonly FirstSightVector[]> {
  const rows: readonly (readonly [string, FirstSightVector["outcome"], Sight])[] = [
    ["sight: nothing but a signed head", "for_reading", { list: steps.council, key: "reader" }],
    ["sight: an own entry", "checked", { list: steps.council, key: "manager" }],
    ["sight: an own entry after the signed head", "checked", { list: steps.council, signed: 3, key: "manager" }],
    ["sight: an own entry that gives the key's place away", "for_reading", { list: steps.year, key: "reader" }],
    ["sight: a key that has replaced another", "for_reading", { list: steps.year, key: "reader, second key" }],
    [
      "sight: a recovery key has signed, of which no sheet is here",
      "for_reading",
      { list: steps.recoverable, key: "hybrid reader" },
    ],
    [
      "sight: a former owner's recovery key has signed",
      "for_reading",
      { list: continued, signed: steps.owners.length, key: "reader" },
    ],
    [
      "sight: with the sheets of a recovery key that has signed",
      "checked",
      { list: steps.recoverable, key: "hybrid reader", sheets: "signing recovery" },
    ],
    [
      "sight: with the sheets of one that has signed nothing yet",
      "for_reading",
      { list: steps.recoverable.slice(0, -1), key: "hybrid reader", sheets: "signing recovery" },
    ],
    [
      "sight: with the sheets of another one, where a former owner's has signed",
      "for_reading",
      { list: continued, signed: steps.owners.length, key: "reader", sheets: "hybrid recovery" },
    ],
    ["sight: with the head of a link", "checked", { list: steps.council, key: "reader", head: 5 }],
  ];
  return Promise.all(
    rows.map(async ([name, outcome, { list: entries, signed, key, sheets, head }]) => {
      const list = await createList(entries);
      const { signingKey } = await findPersonalKey(key);
      const brought =
        sheets !== undefined
          ? { signingKey: (await findPersonalKey(sheets)).signingKey }
          : head !== undefined && { head: await headOf(list, head) };
      const seen = { organizationId, list, signedHead: await headOf(list, signed), signingKey };
      return { name, ...seen, ...(brought && { brought }), outcome };
    }),
  );
}

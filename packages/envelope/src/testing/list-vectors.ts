import type { ListHead } from "../list.ts";
import type { ListReason } from "../refusal.ts";
import { admittedBy, createList, headOf, recoveryKeys, type Step, signingKey, steps } from "./list-maker.ts";
import { idOf, type KeyName, organizationId, type Person } from "./people.ts";
import { refusedLists } from "./refused-lists.ts";

/** One entry of vectors/signed-lists.json. */
export interface ListVector {
  readonly name: string;
  readonly organizationId: string;
  readonly trust: { readonly head: ListHead } | { readonly signingKey: string };
  /** The list as it was received, or its bytes where these are not UTF-8. */
  readonly list: string;
  readonly listBase64?: string;
  readonly outcome: "verified" | ListReason;
  /** For vectors that are verified. */
  readonly head?: ListHead;
  readonly members?: readonly string[];
}

export async function listVectors(): Promise<readonly ListVector[]> {
  return [...(await verifiedLists()), ...(await refusedLists())];
}

async function verifiedLists(): Promise<readonly ListVector[]> {
  const { council, year, hybrid, recoverable } = steps;
  const recovered = ["hybrid owner", "hybrid reader", "program", "hybrid recovery", "signing recovery"] as const;
  const ofCouncil: readonly Person[] = ["owner", "manager", "recovery", "reader", "program", "developer"];
  const signs = await signingKey("signing recovery");
  const made: readonly (readonly [string, readonly Step[], KeyName | number, readonly Person[]])[] = [
    ["the founder alone", council.slice(0, 1), "owner", ["owner"]],
    ["a council", council, "manager", ["owner", "manager", "recovery", "reader", "program", "developer"]],
    ["a council, seen before", council, 6, ["owner", "manager", "recovery", "reader", "program", "developer"]],
    ["a year of a council", year, 6, ["manager", "recovery", "reader", "program", "second owner"]],
    [
      "vouched for by a key that was replaced since",
      year,
      "reader",
      ["manager", "recovery", "reader", "program", "second owner"],
    ],
    ["two owners", steps.owners, 6, [...ofCouncil, "second owner"]],
    ...Object.entries(steps.formerOwners).map(([name, entries]) => {
      const people: readonly Person[] = name === "an owner is removed" ? ofCouncil : [...ofCouncil, "second owner"];
      return [name, entries, 6, people] as const;
    }),
    [
      "members are taken out and let in again",
      steps.returned,
      6,
      ["owner", "manager", "recovery", "reader", "program", "developer", "second reader"],
    ],
    [
      "a member who was let in again has other keys",
      steps.renewed,
      6,
      ["owner", "manager", "recovery", "reader", "program", "developer", "second reader"],
    ],
    ["hybrid keys", hybrid, "hybrid owner", ["hybrid owner", "hybrid reader", "hybrid recovery"]],
    ["vouched for by a recovery key that signs", recoverable, "signing recovery", recovered],
    [
      "a recovery key that signs makes an owner one with other keys",
      [
        ...recoverable,
        { change: "replace", of: "hybrid owner", by: "signing recovery", key: "hybrid owner, second key" },
        { change: "remove", of: "hybrid reader", by: "hybrid owner", signWith: "hybrid owner, second key" },
      ],
      6,
      recovered.filter((name) => name !== "hybrid reader"),
    ],
    [
      "a recovery key that signs makes a reader an owner",
      [
        ...recoverable,
        { change: "replace", of: "hybrid reader", by: "signing recovery", member: { role: "owner" } },
        { change: "remove", of: "hybrid owner", by: "hybrid reader" },
      ],
      "signing recovery",
      recovered.filter((name) => name !== "hybrid owner"),
    ],
    [
      "a recovery key that signs adds an owner",
      [...recoverable, { of: "second owner", by: "signing recovery" }],
      "hybrid owner",
      [...recovered, "second owner"],
    ],
    [
      "an owner gives a recovery key a signing key",
      [
        ...hybrid,
        { change: "replace", of: "hybrid recovery", by: "hybrid owner", key: "signing recovery", member: signs },
      ],
      "hybrid owner",
      ["hybrid owner", "hybrid reader", "hybrid recovery"],
    ],
    [
      "extensions that nobody knows",
      [
        { ...(council[0] as Step), content: { extensions: { "org.example.note": { text: "é" } } } },
        { of: "reader", by: "owner", content: { extensions: { later: [1, null] } } },
      ],
      "owner",
      ["owner", "reader"],
    ],
    [
      "a reader leaves",
      [...council.slice(0, 4), { change: "remove", of: "reader", by: "reader" }],
      2,
      ["owner", "manager", "recovery"],
    ],
    [
      "a reader comes back",
      [
        ...council.slice(0, 4),
        { change: "remove", of: "reader", by: "manager" },
        { of: "reader", by: "owner", key: "reader, second key" },
      ],
      4,
      ["owner", "manager", "recovery", "reader"],
    ],
    [
      "an owner among two becomes a reader",
      [
        council[0] as Step,
        { of: "second owner", by: "owner" },
        { change: "replace", of: "owner", by: "owner", member: { role: "reader" } },
      ],
      "owner",
      ["owner", "second owner"],
    ],
    [
      "a manager's admission, completed by an owner",
      [...council.slice(0, 3), { of: "reader", by: "owner", ...admittedBy("manager") }],
      "owner",
      ["owner", "manager", "recovery", "reader"],
    ],
    [
      "an owner's admission, completed by a manager, and another one for the same person",
      [
        ...council.slice(0, 3),
        { of: "reader", by: "manager", ...admittedBy("owner") },
        { change: "replace", of: "reader", by: "manager", key: "reader, second key", ...admittedBy("manager", "1") },
      ],
      "owner",
      ["owner", "manager", "recovery", "reader"],
    ],
    [
      "an owner's notes",
      [
        ...council.slice(0, 2),
        { change: "note", of: "owner", by: "owner", content: { extensions: { "org.example.note": "moved" } } },
        { change: "note", of: "owner", by: "owner" },
        ...council.slice(2),
      ],
      3,
      ["owner", "manager", "recovery", "reader", "program", "developer"],
    ],
    [
      "eight recovery keys",
      [council[0] as Step, ...recoveryKeys(8)],
      "owner",
      ["owner", ...recoveryKeys(8).map(({ of }) => of)],
    ],
    [
      "owners vouch for others, and a manager for whom they may change",
      [
        ...council,
        { of: "second owner", by: "owner" },
        { change: "vouch", of: "owner", by: "owner", vouched: ["second owner", "manager", "reader", "recovery"] },
        { change: "vouch", of: "owner", by: "second owner", vouched: ["owner"], shown: 1 },
        { change: "vouch", of: "manager", by: "manager", vouched: ["reader", "developer", "program"] },
      ],
      2,
      ["owner", "manager", "recovery", "reader", "program", "developer", "second owner"],
    ],
    [
      "the organization has a name, and another one",
      [
        council[0] as Step,
        { change: "name", of: "owner", by: "owner", called: "Example Council" },
        ...council.slice(1, 3),
        { change: "name", of: "owner", by: "owner", called: "Example Assembly" },
      ],
      2,
      ["owner", "manager", "recovery"],
    ],
    [
      "members with other names, and one with the same",
      [
        ...council.slice(0, 4),
        { change: "replace", of: "reader", by: "reader", member: { name: "Reader Example" } },
        { change: "replace", of: "manager", by: "owner", member: { role: "auditor" } },
      ],
      "owner",
      ["owner", "manager", "recovery", "reader"],
    ],
  ];
  return Promise.all(
    made.map(async ([name, entries, trusted, members]) => {
      const list = await createList(entries);
      const trust = typeof trusted === "number" ? { head: await headOf(list, trusted) } : await signingKey(trusted);
      const outcome = "verified" as const;
      return { name, organizationId, trust, list, outcome, head: await headOf(list), members: members.map(idOf) };
    }),
  );
}

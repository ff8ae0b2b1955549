import { mutantsOf } from "../../../../tests/support/mutants.ts";

const vouched = "list.membersAt(trust.head) !== undefined : isVouchedBy(list, trust.signingKey)";

/** Mistakes that somebody could make who finds for what a list is good that a signed head vouches for; vectors/first-sights.json. */
export const firstSightMutants = [
  ...mutantsOf("follow-list.ts", [
    [
      "a signed head is enough",
      "sight: nothing but a signed head",
      "const isForReading = !isKnown && !isVouched(list, source.trust);",
      "const isForReading = false;",
    ],
    [
      "any recovery key's entry is enough",
      "sight: a recovery key has signed, of which no sheet is here",
      vouched,
      'list.membersAt(trust.head) !== undefined : [...list.members.values()].some(({ role, signingKey }) => signingKey !== null && (role === "recovery" || signingKey === trust.signingKey) && isVouchedBy(list, signingKey))',
    ],
    [
      "the recovery key's entry is enough wherever sheets are brought",
      "sight: with the sheets of another one, where a former owner's has signed",
      vouched,
      'list.membersAt(trust.head) !== undefined : isVouchedBy(list, trust.signingKey) || (!("signedHead" in trust) && [...list.members.values()].some(({ role, signingKey }) => role === "recovery" && signingKey !== null && isVouchedBy(list, signingKey)))',
    ],
    [
      "sheets are nothing",
      "sight: with the sheets of a recovery key that has signed",
      vouched,
      'list.membersAt(trust.head) !== undefined : "signedHead" in trust && isVouchedBy(list, trust.signingKey)',
    ],
    [
      "links are nothing",
      "sight: with the head of a link",
      '"head" in trust ? list.membersAt(trust.head) !== undefined',
      '"head" in trust ? false',
    ],
  ]),
  ...mutantsOf("list-history.ts", [
    [
      "who gives the key's place away vouches",
      "sight: an own entry that gives the key's place away",
      " && !isHandingOver(known.entry)",
      "",
    ],
  ]),
];

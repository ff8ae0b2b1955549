import { mutantsOf } from "../../../../tests/support/mutants.ts";

/** Mistakes that somebody could make who says who has signed a revision, and who reads it; signed-conformance.ts. */
export const signedMutants = mutantsOf("open-envelope.ts", [
  [
    "readers who are not those of the list are named",
    "envelope: a reader with another key",
    "    await checkReaders(content, said.members, said.stanzas);\n    return content.readers",
    "    return content.readers",
  ],
  [
    "a signer who may not write says who reads",
    "envelope: signed by a reader",
    "    checkRight(content, writer, isOwners(content, writer, list));\n",
    "",
  ],
  [
    "a critical name that is not known hides who reads",
    "envelope: a critical extension",
    "    checkRight(content, writer, isOwners(content, writer, list));\n",
    "    checkRight(content, writer, isOwners(content, writer, list));\n    checkCritical(content);\n",
  ],
  [
    "a former signer may write",
    "envelope: written before members changed",
    "mayWrite(writer) && !isFormerWriter(content, list)",
    "mayWrite(writer)",
  ],
  [
    "every signer may write who has the key of then",
    "envelope: signed by a reader",
    "mayWrite(writer) && !isFormerWriter(content, list)",
    "!isFormerWriter(content, list)",
  ],
  [
    "keys that are not of their fingerprint are there",
    "envelope: right n, wrong d",
    "await filterAsync(content.keys, isRightKey)",
    "content.keys",
  ],
]);

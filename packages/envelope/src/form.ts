export { type AnswerContent, answerLengthMax, readAnswer } from "./admission-answer.ts";
export { admissionBytesMax, checkAdmissionForm } from "./admission-form.ts";
export {
  type AdmissionTerms,
  admissionMilliseconds,
  termsLengthMax,
  type VerifiedTerms,
  verifyAdmissionTerms,
} from "./admission-terms.ts";
export { type CopyKind, copyBytesMax, findCopyKind } from "./copy-form.ts";
export { envelopeBytesMax, firstVersionOf } from "./envelope-content.ts";
export { checkEnvelopeForm } from "./envelope-form.ts";
export {
  entryBytesMax,
  type KnownEntry,
  listBytesMax,
  type VerifiedList,
  verifyList,
  verifyNextEntry,
  verifyNextPart,
} from "./list.ts";
export { splitEntries, splitParts } from "./list-bytes.ts";
export { entryNumberMax, type ListEntry, subjectOf } from "./list-entry.ts";
export { findEverMember } from "./list-history.ts";
export { committedIn } from "./list-names.ts";
export { findListRoom } from "./list-room.ts";
export { entriesMax, membersMax, openPlaces, ownerPlaces, type PlaceStage, stageOf } from "./list-rules.ts";
export type { Member, Unnamed } from "./member.ts";
export { formatNames, isNameLineOf, type NameOwner, type NameText } from "./names.ts";
export { isRecipient } from "./recipient.ts";
export { RefusalError } from "./refusal.ts";
export { signedHeadLengthMax, verifySignedHead } from "./signed-head.ts";
export { findEdgesOfPart } from "./vouching.ts";

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
export { checkEnvelopeForm } from "./envelope-form.ts";
export { entriesMax, type VerifiedList, verifyList, verifyNextEntry } from "./list.ts";
export type { ListEntry } from "./list-entry.ts";
export type { Member } from "./member.ts";
export { kindOf } from "./recipient.ts";
export { RefusalError } from "./refusal.ts";
export { signedHeadLengthMax, verifySignedHead } from "./signed-head.ts";

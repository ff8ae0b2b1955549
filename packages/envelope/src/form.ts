export { type AnswerContent, answerLengthMax, readAnswer } from "./admission-answer.ts";
export {
  type AdmissionTerms,
  admissionMilliseconds,
  termsLengthMax,
  type VerifiedTerms,
  verifyAdmissionTerms,
} from "./admission-terms.ts";
export { type CopyKind, copyBytesMax, findCopyKind } from "./copy-form.ts";
export { writtenHeadsBytesMax } from "./device-heads-form.ts";
export { envelopeBytesMax, firstVersionOf, keysMax } from "./envelope-content.ts";
export { checkEnvelopeForm } from "./envelope-form.ts";
export { pageEntries } from "./fetch-pages.ts";
export {
  entryBytesMax,
  type VerifiedList,
  verifyKeptList,
  verifyList,
  verifyNextEntry,
} from "./list.ts";
export { entryNumberMax, type ListEntry, subjectOf } from "./list-entry.ts";
export { committedIn } from "./list-names.ts";
export { type Member, takesRight, type Unnamed } from "./member.ts";
export { formatNames, isNameLineOf, type NameOwner, type NameText } from "./names.ts";
export { isRecipient } from "./recipient.ts";
export { RefusalError } from "./refusal.ts";
export { signedHeadLengthMax, verifySignedHead } from "./signed-head.ts";

export { addKeyLogEntry, renewSigners, type SignersToRenew } from "./add-key-log-entry.ts";
export {
  type Admission,
  type AdmissionParts,
  type AdmittingChange,
  answerAdmission,
  createAdmission,
  type OpenedAdmission,
  openAdmission,
  organizationOfTerms,
  readAdmission,
} from "./admission.ts";
export { type AdmissionLink, formatAdmissionLink, parseAdmissionLink } from "./admission-link.ts";
export type { AdmissionTerms, VerifiedTerms } from "./admission-terms.ts";
export { admissionWords, linkOfWords } from "./admission-words.ts";
export { type AgeFileWay, findAgeFileWay } from "./age-file-way.ts";
export {
  continueFormLog,
  findObstacle,
  findSignersToName,
  KeyLogProblemError,
  type LogToContinue,
  type SigningObstacle,
} from "./continue-form-log.ts";
export { copyBytesMax } from "./copy-form.ts";
export type { DeniedKey } from "./denied-keys.ts";
export {
  createChallenge,
  createNewDevice,
  type DeviceChallenge,
  type DeviceRequest,
  type DeviceReveal,
  deviceCode,
  formatDeviceCode,
  isChallengeRight,
  isRevealOf,
  type NewDevice,
  parseDeviceCode,
} from "./device.ts";
export {
  type ConfirmedInList,
  type DeviceHeads,
  deviceHeadsBytesMax,
  deviceHeadsMax,
  type FormOwner,
  type LeftOutHeads,
  type OpenedHeads,
  openDeviceHeads,
  sealDeviceHeads,
} from "./device-heads.ts";
export { type Doubts, findDoubts } from "./doubts.ts";
export {
  type EnvelopeHead,
  type EnvelopeVersion,
  findLast,
  isAboveProven,
  isSameRsaKey,
  type KnownKeyLog,
  type OtherHead,
  type PublishedKey,
  type SeenForm,
  type SeenKey,
  type SeenReader,
  toKnownKeyLog,
} from "./envelope-checks.ts";
export {
  type EnvelopeContent,
  envelopeBytesMax,
  type FormKey,
  firstVersionOf,
  keysMax,
  type Reader,
  readersMax,
  revisionStepsMax,
} from "./envelope-content.ts";
export { checkEnvelopeForm } from "./envelope-form.ts";
export { fetchEntriesFrom, fetchPages } from "./fetch-pages.ts";
export {
  type ComparedKeys,
  comparePublished,
  type EnvelopeRequest,
  type EnvelopeSource,
  type FetchedEnvelope,
  type FollowedEnvelope,
  type FollowReason,
  findOthers,
  followEnvelope,
  followEnvelopes,
  isAfterGap,
  openRevision,
  type RefusedEnvelope,
  type SeenEnvelope,
  type SightKeys,
} from "./follow-envelope.ts";
export {
  type FollowedKeyLog,
  type FollowedKeyLogRefusal,
  followKeyLog,
  type KeyLogSource,
} from "./follow-key-log.ts";
export { type FirstTrust, type FollowedList, followList, type ListSource } from "./follow-list.ts";
export { identitiesMax, parseIdentities } from "./identity-file.ts";
export { findIntroducedBy, findUnintroduced } from "./introduced.ts";
export type { KeptEntries, LostEntries } from "./kept-entries.ts";
export { continuesHead, findLater, type KeptList } from "./kept-list.ts";
export {
  type CopyRecipient,
  type CopySecret,
  formatPersonalKey,
  normalizePassphrase,
  openKeyCopy,
  type PublicHalves,
  parsePersonalKey,
  sealKeyCopy,
} from "./key-copy.ts";
export {
  continueKeyLog,
  createKeyLogEntry,
  findKeyLogHead,
  type KeyLogContinuation,
  type KeyLogSigner,
  toLoggedKey,
} from "./key-log-entry.ts";
export { compareKeyLogSigners, findKeyLogSigners, type SignerDifferences } from "./key-log-signers.ts";
export { namesOf, ofKey, ofOwner, ownerOf, withoutKeeping } from "./key-store.ts";
export {
  type ExpectedList,
  entriesMax,
  type ListHead,
  listBytesMax,
  type Signer,
  type Trust,
  type VerifiedList,
  verifyContinuedList,
  verifyKeptList,
  verifyList,
  verifyNextEntry,
} from "./list.ts";
export { findClaimedHead } from "./list-bytes.ts";
export type { Change, ListEntry, UsedAdmission, WrittenChange } from "./list-entry.ts";
export { findPlacesLeft, findSigningKeys, isVouchedBy, wasChangedSince } from "./list-history.ts";
export { membersMax, placesMax, recoveryKeysMax } from "./list-rules.ts";
export {
  fitName,
  isUnderManagers,
  type Member,
  mayChange,
  mayRead,
  type NewMember,
  type Role,
  type Unnamed,
} from "./member.ts";
export { type NamedKeyLog, nameKeyLog } from "./name-key-log.ts";
export { addNames, formatNames, type NamesFile, type NameText, toNamesFile } from "./names.ts";
export { createListEntry, type SignedEntry } from "./next-entry.ts";
export {
  FarVersionError,
  findNewestEnvelope,
  findNextKey,
  findRotatedEnvelope,
  findWriting,
  hasPlace,
  keptReaders,
  type RevisionBefore,
  type Sealing,
  toFormKey,
} from "./next-revision.ts";
export {
  type ExpectedEnvelope,
  type OpenedEnvelope,
  openEnvelope,
  readSigned,
  type SignedRevision,
} from "./open-envelope.ts";
export { findChangedReaders, findLeft, findRekeyed, findWritingEnd, type WritingEnd } from "./outdated.ts";
export {
  generatePersonalKey,
  generateReadingKey,
  type PersonalKey,
  type ReadingKey,
  recipientOf,
  type SigningKeys,
} from "./personal-key.ts";
export {
  type CountingLog,
  findAhead,
  findCountingLog,
  findLoggedVersion,
  isListedIn,
  isNamedIn,
  lacksNamed,
  settleLogged,
} from "./planted-keys.ts";
export { openWithPassphrase, passphraseForms, protectWithPassphrase, withoutArmor } from "./protected-file.ts";
export { readEnvelopeWithoutList, type UnlistedReason } from "./read-without-list.ts";
export { deriveRecoveryKey } from "./recovery-key.ts";
export {
  type JoinedShares,
  joinShares,
  type ParsedShare,
  parseShare,
  parseShareCode,
  type RecoveryShare,
  type ShareSheet,
  setOf,
  shareLines,
  sharesMax,
  splitIdentity,
} from "./recovery-share.ts";
export {
  generateSheet,
  type ParsedSheet,
  parseSheet,
  parseSheetCode,
  type RecoverySheet,
  sheetLines,
  type WholeSheetKind,
} from "./recovery-sheet.ts";
export {
  type AdmissionReason,
  type CopyReason,
  type EnvelopeReason,
  type HeadReason,
  type ListReason,
  type Reason,
  RefusalError,
} from "./refusal.ts";
export { type EnvelopeParts, findCarriedKeys, mayReplace, sealEnvelope, toRemembered } from "./seal-envelope.ts";
export {
  createSeenHeads,
  type FormHeads,
  findHead,
  type HeadStore,
  type ListStore,
  type SeenHeads,
  type SeenList,
} from "./seen-heads.ts";
export { isSheetLine, type SheetKind } from "./sheet-lines.ts";
export { findNamedLog, withCurrentLog } from "./shown-key-log.ts";
export { importSigningKey, signingKeyOf } from "./signature.ts";
export { asFormName, findSignedName } from "./signed-form-name.ts";
export { type ExpectedHead, signedHeadLengthMax, signHead, verifySignedHead } from "./signed-head.ts";
export {
  type ConfirmedMember,
  findSealable,
  findUnvouched,
  type LessenedMember,
  recipientFingerprint,
  type Standing,
  toConfirmed,
  type Unvouched,
} from "./standing.ts";
export { findMeant, passphraseWords, splitWords } from "./typed-words.ts";
export { type Edges, findEdges, findVouched } from "./vouching.ts";

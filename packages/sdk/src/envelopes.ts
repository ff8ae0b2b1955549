export type { HeadStore } from "@sealpost/envelope";
export {
  type Bringable,
  type BringingBack,
  bringBack,
  type Difference,
  findBringable,
  findDisplaced,
  findStuck,
  type TakenOut,
} from "./envelopes/bring-back.ts";
export { bringable, isReplaceable, type NotUsed, toRefusal } from "./envelopes/bringable.ts";
export {
  type ChangedReaders,
  changeFormReaders,
  findLeftOut,
  type LeftOut,
  type ReaderChange,
} from "./envelopes/change-form-readers.ts";
export { type Changes, changeList, type ListWriter, NoPlaceError } from "./envelopes/change-list.ts";
export { checkList, toListToCheck } from "./envelopes/check-list.ts";
export { type Clearable, clearEnvelope, findClearable } from "./envelopes/clear-envelope.ts";
export {
  createFirstEntry,
  createNextEntry,
  followFormKeyLog,
  renewSigners,
  requireOwnForm,
} from "./envelopes/continue-key-log.ts";
export { createEnvelopeApi, type SendChange } from "./envelopes/envelope-api.ts";
export type {
  EnvelopeApi,
  EnvelopeClient,
  EnvelopeOpener,
  FormToSend,
  KnownList,
  ListedRevision,
  RotationToSend,
  SealingList,
  StoredRevision,
} from "./envelopes/envelope-client.ts";
export {
  describeProblem,
  type EnvelopeProblem,
  EnvelopeProblemError,
  OvertakenError,
  UnusableListError,
} from "./envelopes/envelope-problem.ts";
export {
  createEnvelopeReader,
  type EnvelopeReader,
  type EnvelopeReaderOptions,
  type OpenedForm,
} from "./envelopes/envelope-reader.ts";
export { createEnvelopeWriter, type EnvelopeWriter, type EnvelopeWriterOptions } from "./envelopes/envelope-writer.ts";
export {
  type AnsweredSight,
  acceptFirstSight,
  describeFirstSights,
  describeSightKeys,
  type FirstSight,
  type FirstSightGroup,
  findFirstSights,
  groupFirstSights,
  type ShownKey,
  type ShownKeys,
  type ShownReader,
  type ShownSight,
  type SightDifference,
  type SightOutcome,
} from "./envelopes/first-sights.ts";
export { createFormKeys, type FormKeys, type FormKeysOptions } from "./envelopes/form-keys.ts";
export {
  type FormerKeyFile,
  type FormerKeySource,
  loadFormerKeys,
  openFormerKey,
  openFormerKeys,
  type ReplacedKey,
} from "./envelopes/former-keys.ts";
export {
  acceptShownLog,
  type EnvelopeOfLog,
  type GivenUpKeyLog,
  giveUpKeyLog,
  type KeyLogGiver,
} from "./envelopes/give-up-key-log.ts";
export { type DeniedHere, findDeniedHere, goByKeyLog } from "./envelopes/go-by-key-log.ts";
export { findHeldKeys, isHeld, isOwnLog, nameFollowedLog, toHeldKey } from "./envelopes/held-key.ts";
export type {
  EntryToSign,
  EnvelopeFile,
  EnvelopeSeen,
  EnvelopeToOpen,
  EnvelopeToSeal,
  HeadToSign,
  KeyAgent,
  KeyLogEntryToSign,
  ListToCheck,
  SealedEnvelope,
} from "./envelopes/key-agent.ts";
export { listAfter } from "./envelopes/list-after.ts";
export { createListApi, type ListApi } from "./envelopes/list-api.ts";
export { formatListHead, parseListHead } from "./envelopes/list-head.ts";
export {
  type ConfirmRotation,
  confirmRotation,
  findLostKeys,
  isSameLoss,
  type LostEnvelope,
  type LostKeys,
  LostKeysError,
} from "./envelopes/lost-keys.ts";
export { nameKeyLogHead } from "./envelopes/name-key-log.ts";
export {
  compareKeys,
  type FormOpening,
  type FormToOpen,
  type OpenedEnvelope,
  type OpenedEnvelopes,
  openForm,
  openOne,
  openRevision,
} from "./envelopes/open-form.ts";
export { importEnvelopeKeys } from "./envelopes/opening-keys.ts";
export {
  createOwnOrganizations,
  guardKeyAgent,
  type KnownOrganization,
  type OrganizationStanding,
  type OwnOrganizations,
} from "./envelopes/own-organization.ts";
export { type SearchOptions, UnfinishedSearchError } from "./envelopes/search-revisions.ts";
export { findShown, type ShownRotation } from "./envelopes/shown-rotation.ts";
export {
  createFormWithEnvelope,
  findReaderIds,
  isSameBase,
  type Keeper,
  readBack,
  requireListed,
  rotateWithEnvelope,
  type StoredEnvelope,
  sealRevision,
  storeRevision,
  toSealing,
  UnreadRevisionError,
} from "./envelopes/store-envelope.ts";
export {
  createKeyAgent,
  identitiesOf,
  type KeyInUse,
  openFormEnvelope,
  orRefusal,
  orThrow,
  readEnvelope,
  readSignedRevision,
  sealFormEnvelope,
  signEntry,
  signKeyLogEntry,
  signOwnHead,
} from "./envelopes/use-personal-key.ts";
export { untilFirst } from "./envelopes/whole-form.ts";
export {
  type FormToMake,
  findVersion,
  type PreparedKey,
  PreparedKeyError,
  type RotatedForm,
  type RotationToMake,
  type VersionToMake,
  type WrittenForm,
} from "./envelopes/write-form.ts";

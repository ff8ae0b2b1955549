export { type AuditHead, auditFormat, canonicalJson, hashAuditEntry, startAuditLog } from "./audit-chain.ts";
export { decodeBase64, decodeBase64Url, encodeBase64, encodeBase64Url } from "./base64.ts";
export { encodeText, ownParameters } from "./bytes.ts";
export { isUsableEd25519, littleEndian, type VerifyEd25519, verifyEd25519 } from "./ed25519.ts";
export {
  type ExactFields,
  type ExactValue,
  exactFieldsOf,
  formatExactly,
  hasDoubledNames,
  SealedNumber,
  textOf,
} from "./exact-json.ts";
export { createFileKey, sealFile } from "./file.ts";
export { type FileField, toFileField } from "./file-field.ts";
export { type FileKey, fileBytesMax, fileFormat, sealedFileSize } from "./file-pieces.ts";
export {
  generateHybridKeyPair,
  type HybridKeyPair,
  type HybridPrivateKey,
  type HybridPublicKey,
  hybridFingerprint,
  isHybridPublicKey,
  parseHybridPublicKey,
} from "./hybrid-keys.ts";
export {
  type AccountId,
  type ApiKeyId,
  createId,
  createSubmissionId,
  type DeliveryId,
  type EventId,
  type FileId,
  type FormId,
  formIdPattern,
  type Id,
  type IdKind,
  idPattern,
  isId,
  type SubmissionId,
} from "./ids.ts";
export { isInvisible } from "./invisible.ts";
export {
  type DecapsulationKey,
  type Encapsulated,
  type Encapsulator,
  findNativeEncapsulator,
  findNativeKem,
  type Kem,
  type KeyHalves,
} from "./kem.ts";
export { decodeKeyFileText, isAgeFile } from "./key-file-text.ts";
export {
  createKeyLogLine,
  findNamedKeys,
  type KeyLogHead,
  type KeyLogRefusal,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "./key-log.ts";
export {
  type KeyLogEntry,
  type KeyLogSigners,
  keyLogFormat,
  keyLogNumberMax,
  keyLogPlaceMax,
  keyLogSignersMax,
  keyLogStepMax,
  type LoggedKey,
} from "./key-log-entry.ts";
export {
  formatKeyLogHead,
  hasKeyLogHead,
  keyLogPageBytesMax,
  keyLogPageEntries,
  parseKeyLogHead,
} from "./key-log-head.ts";
export {
  fingerprint,
  generateKeyPair,
  isPublicKey,
  type KeyPair,
  modulusBytes,
  type PrivateKey,
  type PublicKey,
  parsePublicKey,
} from "./keys.ts";
export { parseMoment } from "./moment.ts";
export { isTooDeep } from "./nesting.ts";
export { paddedSize } from "./padding.ts";
export {
  additionalData,
  type Binding,
  type Fields,
  type FieldValue,
  hybridVersion,
  type Payload,
  type PlainPayload,
  plainVersion,
  type SealedPayload,
  type SealedVersion,
  sealedVersion,
} from "./payload.ts";
export { encodeFields } from "./plaintext.ts";
export { describeVersion } from "./pre-release.ts";
export { printable, printableLines, unprintable } from "./printable.ts";
export { seal, sealFlat } from "./seal.ts";
export { sealByEncapsulator, sealHybrid } from "./seal-hybrid.ts";
export {
  type Extended,
  type ExtensionValue,
  extensionsBytesMax,
  formatTime,
  isTime,
  knowsCritical,
  noExtensions,
  parseContentLine,
  parseExtended,
  parseSignatureLine,
  signedBytes,
  type Unchecked,
  verifySignedLine,
} from "./signed-line.ts";
export { importSigningKey, signingKeyOf } from "./signing-key.ts";
export {
  createVersionSeed,
  deriveReplyKey,
  hashVersionSeed,
  isVersionSeed,
  type ReplyKeyPair,
  type SeededVersion,
} from "./version-seed.ts";
export {
  createWebhookSecret,
  type StandardHeaders,
  signService,
  signStandard,
  toleranceSeconds,
  type Verification,
  verifyService,
  verifyStandard,
} from "./webhook-signature.ts";

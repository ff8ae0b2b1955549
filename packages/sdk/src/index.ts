export type {
  ExactFields,
  ExactValue,
  Fields,
  FieldValue,
  HybridKeyPair,
  HybridPrivateKey,
  HybridPublicKey,
  Kem,
  KeyPair,
  PrivateKey,
  PublicKey,
} from "@sealpost/wire";
export {
  createWebhookSecret,
  exactFieldsOf,
  fingerprint,
  formatExactly,
  generateHybridKeyPair,
  generateKeyPair,
  hybridFingerprint,
  SealedNumber,
  textOf,
  verifyService,
} from "@sealpost/wire";
export {
  type HybridOpeningKey,
  importOpeningKey,
  type Opened,
  openFile,
  parseFileField,
  type Sealed,
} from "@sealpost/wire/open";
export type {
  Admission,
  ApiKeyListItem,
  AuditEntry,
  BinnedSubmission,
  CreatedApiKey,
  CreatedForm,
  Delivery,
  DeliveryDetail,
  Form,
  FormKey,
  FormListItem,
  FormSettings,
  FoundInvitation,
  InstanceAccount,
  InstanceLogEntry,
  InstanceOrganization,
  Invitation,
  Member,
  Operations,
  Organization,
  Session,
  Submission,
  WebhookSecret,
} from "./api-types.ts";
export { ApiError, type ApiErrorCode, parseApiError } from "./client/api-error.ts";
export type { CallOptions, ClientOptions } from "./client/call.ts";
export { type Client, createClient } from "./client/client.ts";
export { ConnectionError } from "./client/connection-error.ts";
export type { FormToCreate, KeyClosing } from "./client/forms-client.ts";
export { orNone } from "./client/or-none.ts";
export { parseSubmission } from "./client/parse-submission.ts";
export { readText } from "./client/read-answer.ts";
export { compareHybrid, findHybridFingerprint, pinOf } from "./compare-hybrid.ts";
export type {
  ChangedSettings,
  FormKeysRotated,
  FormUpdated,
  ReceivedSealedPayload,
  ReceivedSubmission,
  SubmissionCreated,
  SubmissionDeleted,
  UnknownEvent,
  WebhookEvent,
} from "./event.ts";
export { parseEvent } from "./event.ts";
export { cleanFileName, exportFileName } from "./file-name.ts";
export { formSettings } from "./form-settings.ts";
export type { HeadersLike } from "./headers.ts";
export { createKeyFile, type KeyFile, keyFileName } from "./key-file.ts";
export { findNewestKey } from "./newest-key.ts";
export { type OpeningKey, open } from "./open.ts";
export { isPaperKey, type PaperKey, type PaperKeyContent, parsePaperKey, toPaperKey } from "./paper-key.ts";
export {
  type LabelledPrivateKey,
  PrivateKeyError,
  type PrivateKeyInput,
  type PrivateKeyReason,
  parseKeyJson,
  parseOpeningKey,
} from "./private-key.ts";
export { type PublicKeys, provesKey, publicKeysOf } from "./prove-key.ts";
export {
  createReceiver,
  type KeySource,
  type OpenedSubmission,
  openSubmission,
  type Received,
  type ReceivedEvent,
  type Receiver,
  type ReceiverOptions,
  type SubmissionToOpen,
} from "./receiver.ts";
export { type NotVerified, type RawBody, type RawRequest, type Verified, verify } from "./verify.ts";
export type { WebhookSecrets } from "./webhook-secrets.ts";

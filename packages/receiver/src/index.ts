export type { Fields, FieldValue, KeyPair, PrivateKey, PublicKey } from "@sealpost/wire";
export { createWebhookSecret, fingerprint, generateKeyPair, verifyService } from "@sealpost/wire";
export { importOpeningKey, type Opened, type OpeningKey, open, type Sealed } from "@sealpost/wire/open";
export type {
  FormKeysRotated,
  FormUpdated,
  ReceivedSealedPayload,
  ReceivedSubmission,
  SubmissionCreated,
  SubmissionDeleted,
  WebhookEvent,
} from "./event.ts";
export type { HeadersLike } from "./headers.ts";
export { createKeyFile, type KeyFile, keyFileName } from "./key-file.ts";
export { type LabelledPrivateKey, type PrivateKeyInput, parseOpeningKey } from "./private-key.ts";
export {
  createReceiver,
  type OpenedSubmission,
  openSubmission,
  type Received,
  type ReceivedEvent,
  type Receiver,
  type ReceiverOptions,
  type SubmissionToOpen,
} from "./receiver.ts";
export { type NotVerified, type RawBody, type RawRequest, type Verified, verify } from "./verify.ts";

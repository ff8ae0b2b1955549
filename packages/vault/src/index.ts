export { type AgeAnswer, type AgeRequest, answerAge } from "./answer-age.ts";
export { copyOperations } from "./copy-operations.ts";
export type { CopySecretGiven } from "./copy-secret.ts";
export { adoptFormerKeys, type LoadFile, type ReplacedKey } from "./former-keys.ts";
export { lockInAllTabs } from "./key-channel.ts";
export type { KeyAnswer, KeyRequest, Operation } from "./key-server.ts";
export { createKeyTab, type KeyTab, type TabState } from "./key-tab.ts";
export { type CopyToOpen, KeyLockedError, type KeyWorker, makeKey, openCopy, readAnswer } from "./key-worker.ts";
export { hasNativeX25519, loadHybridKem } from "./load-hybrid-kem.ts";
export { mergeKeys, provesFingerprint, sureKeys } from "./merge-keys.ts";
export { adoptFormer, type OpenKey } from "./open-key.ts";
export type { AskPasskey, PasskeySecrets } from "./passkey-prf.ts";
export {
  findWrongWord,
  generatePassphrase,
  hasUncommonCharacters,
  parseWords,
} from "./passphrase.ts";
export { type EstimateBits, loadEstimator, strengthBitsMin } from "./passphrase-strength.ts";
export {
  checkLine,
  type LineReading,
  lineCountOf,
  readSheetCode,
  readSheetLines,
  type SheetReading,
  splitSheet,
} from "./read-sheet.ts";
export { isFormerKey, type KeyRestoring, restoreKey } from "./restore-key.ts";
export type { CopyWay } from "./seal-copy.ts";
export { isSealedKey, sealedPartOf } from "./sealed-key.ts";
export type { SeenKeys } from "./seen-keys.ts";
export { serveKeyWorker, type WorkerScope } from "./serve-key-worker.ts";
export { type PersonWithKey, type UnlockingPage, unlock } from "./unlock.ts";
export { createKeyWorker, type WorkerThread } from "./worker-client.ts";

export type { HeadStore } from "@sealpost/envelope";
export type { ReaderChange } from "./envelopes/change-readers.ts";
export { describeProblem, type EnvelopeProblem, EnvelopeProblemError } from "./envelopes/envelope-problem.ts";
export {
  createEnvelopeReader,
  type EnvelopeReader,
  type EnvelopeReaderOptions,
  type OpenedForm,
  type OpenedFormEnvelope,
} from "./envelopes/envelope-reader.ts";
export { createEnvelopeWriter, type EnvelopeWriter, type EnvelopeWriterOptions } from "./envelopes/envelope-writer.ts";
export { createFormKeys, type FormKeys, type FormKeysOptions } from "./envelopes/form-keys.ts";
export {
  type FormerKeyFile,
  type FormerKeySource,
  loadFormerKeys,
  openFormerKey,
  openFormerKeys,
  type ReplacedKey,
} from "./envelopes/former-keys.ts";
export { formatListHead, parseListHead } from "./envelopes/list-head.ts";
export { importEnvelopeKeys } from "./envelopes/opening-keys.ts";
export { untilFirst } from "./envelopes/whole-form.ts";
export type { FormToMake, RotationToMake, WrittenForm } from "./envelopes/write-form.ts";

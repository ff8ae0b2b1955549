export type { HeadStore } from "@sealpost/envelope";
export { describeProblem, type EnvelopeProblem, EnvelopeProblemError } from "./envelopes/envelope-problem.ts";
export {
  createEnvelopeReader,
  type EnvelopeReader,
  type EnvelopeReaderOptions,
  type OpenedForm,
  type OpenedFormEnvelope,
} from "./envelopes/envelope-reader.ts";
export { createFormKeys, type FormKeys, type FormKeysOptions } from "./envelopes/form-keys.ts";
export { formatListHead, parseListHead } from "./envelopes/list-head.ts";
export { importEnvelopeKeys } from "./envelopes/opening-keys.ts";

export type { Outcome } from "./binding.ts";
export type { SealpostEvents } from "./events.ts";
export { type Handle, init } from "./init.ts";
export { type ErrorCode, englishKeyLogMessages, englishMessages, type MessageName, type Messages } from "./messages.ts";
export type { ErrorDetail, Options, SubmitDetail, SuccessDetail } from "./options.ts";

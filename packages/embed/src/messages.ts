import { keyLogMessages, messages } from "@sealpost/texts/embed";

// Constants of this package: its declarations are published, and the catalogue's are not.

/** Every text that a visitor can meet, in English. The `messages` option replaces any of them. */
export const englishMessages = messages;

/** Texts of pages that pin a key log: each says what is wrong with it, for the owner, and what the visitor can do. */
export const englishKeyLogMessages = keyLogMessages;

export type MessageName = keyof typeof englishMessages | keyof typeof englishKeyLogMessages;
export type Messages = Readonly<Record<MessageName, string>>;

/** Why nothing was accepted (yet). `offline`, `unavailable`, `rate_limited` and `full` are tried again by themselves. */
export type ErrorCode = Exclude<MessageName, "sending" | "sent" | "sent_before" | "stripped" | "save">;

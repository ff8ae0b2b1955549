import { isNoticeKind, type Mail, type SendResult } from "./mail.ts";
import { type MailFailure, quoteServer } from "./mail-failure.ts";
import { toOneForm } from "./recipient.ts";

/** How a try ended. */
export interface SendReport {
  /** `failed` where it is worth trying again at an address, `refused` where no address was reached, and none is tried again. */
  readonly result: SendResult;
  /** A word about why, for the log: it names no address and nothing that the server said. */
  readonly reason?: string;
  /** For operators. Also where others of its addresses got the mail. */
  readonly failure?: MailFailure;
  /** How many addresses got the mail in this try. */
  readonly reached: number;
}

/** More of one email than that a mail server may refuse. */
const recipientsMax = 20;
/** So many connections in a row may break before the mail server itself is taken for the cause: a single mailbox can break one. */
const brokenMax = 3;

export const isNotice = ({ subject }: Mail): boolean => isNoticeKind(subject.kind);

/** The addresses that one message goes to. What failed for several at once says nothing about each of them, so afterwards each has its own. */
export function listBatches(mail: Mail, addresses: readonly string[]): readonly (readonly string[])[] {
  const size = isNotice(mail) || mail.attempts > 1 ? 1 : recipientsMax;
  return Array.from({ length: Math.ceil(addresses.length / size) }, (_, index) =>
    addresses.slice(index * size, (index + 1) * size),
  );
}

/** `refused`: the last word about this address. `failed`: it may be mended. */
type Answer = "sent" | "refused" | "failed";

interface ServerError {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly originalCode?: unknown;
  readonly recipient?: unknown;
  readonly responseCode?: unknown;
  readonly rejectedErrors?: readonly unknown[];
}

/** The answers of a mail server in one try, by address. */
export interface Answers {
  /** The server took the message for all of these, except the ones that the errors name. */
  note(to: readonly string[], rejectedErrors: readonly unknown[]): void;
  /** A message was not taken. */
  noteFailed(to: readonly string[], error: unknown): void;
  /** Nobody else is tried now, because of this. */
  end(error: unknown): void;
  isOver(): boolean;
  report(): SendReport;
}

export function createAnswers(addresses: readonly string[]): Answers {
  const answers = new Map<string, Answer>();
  let isOver = false;
  let broken = 0;
  let last: unknown;

  function answer(to: readonly string[], given: Answer): void {
    for (const address of to) answers.set(toOneForm(address), given);
  }
  function end(error: unknown): void {
    isOver = true;
    last = error;
  }
  const answerOf = (address: string) => answers.get(toOneForm(address));

  function note(to: readonly string[], rejectedErrors: readonly unknown[]): void {
    broken = 0;
    answer(to, "sent");
    for (const error of rejectedErrors) {
      const { recipient } = toServerError(error);
      // Without a name it is about all of them: a second email is better than none.
      answer(typeof recipient === "string" ? [recipient] : to, isFinal(error) ? "refused" : "failed");
      last = error;
    }
  }

  return {
    note,
    end,
    noteFailed(to, error) {
      last = error;
      const { rejectedErrors } = toServerError(error);
      const from = findSource(error);
      if (from === "recipient" && rejectedErrors !== undefined) return note(to, rejectedErrors);
      answer(to, to.length === 1 && from === "recipient" && isFinal(error) ? "refused" : "failed");
      if (from === "recipient") broken = 0;
      else broken += 1;
      // Nobody else's is tried in vain.
      if (from === "server" || broken >= brokenMax) end(error);
    },
    isOver: () => isOver,
    report() {
      const missed = addresses.filter((address) => answerOf(address) !== "sent");
      const reached = addresses.length - missed.length;
      if (missed.length === 0) return { result: "sent", reached };
      const refused = missed.filter((address) => answerOf(address) === "refused");
      // Those that had no turn come first in the next try: the address at which this one ended keeps nobody waiting.
      const to = [...missed.filter((address) => answerOf(address) === undefined), ...missed].filter(
        (address, index, all) => all.indexOf(address) === index,
      );
      const failure = { to, refused, sentence: quoteServer(last) };
      if (refused.length < missed.length) return { result: "failed", reason: describe(last), failure, reached };
      if (reached === 0) return { result: "refused", reason: describe(last), failure, reached };
      return { result: "sent", failure, reached };
    },
  };
}

function toServerError(error: unknown): ServerError {
  return Object(error) as ServerError; // any object has optional members
}

/**
 * `recipient`: the answer is about the address, or about the message to it. `connection`: it broke, perhaps at the address. `server`: it takes no message
 * from us at this time, to no address; a refused sender as well.
 */
function findSource(error: unknown): "recipient" | "connection" | "server" {
  const { code, command, originalCode } = toServerError(error);
  if (code === "EMESSAGE" || (code === "EENVELOPE" && command !== "MAIL FROM")) return "recipient";
  const isBroken = code === "ECONNECTION" || originalCode === "ECONNRESET" || originalCode === "EPIPE";
  return isBroken ? "connection" : "server";
}

/** A 5xx to the address or the text is the server's last word. Everything else, a wrong password too, may be mended. */
function isFinal(error: unknown): boolean {
  const { responseCode } = toServerError(error);
  return typeof responseCode === "number" && responseCode >= 500;
}

function describe(error: unknown): string {
  const { code, responseCode } = toServerError(error);
  const parts = [code, responseCode].filter((part) => typeof part === "string" || typeof part === "number");
  return parts.length === 0 ? "no answer in time" : parts.join(" ");
}

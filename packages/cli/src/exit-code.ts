import { ApiError, ConnectionError } from "@sealpost/sdk";
import { UnexpectedAnswerError } from "./answer-guard.ts";
import { counted } from "./counted.ts";
import { printable } from "./printable.ts";

/** How the program ends. Scripts rely on these numbers, so they never change their meaning. */
export const exitCodes = {
  success: [0, "Done."],
  failure: [1, "Something unexpected went wrong."],
  usage: [2, "The command line, an option or a file given with one is wrong."],
  unauthorized: [3, "Not signed in, or not allowed to do this."],
  notFound: [4, "There is no such form, submission, key, member, invitation or organization."],
  refused: [5, "The server refused the request: it is invalid, or conflicts with existing data."],
  unavailable: [6, "The server could not be reached, is limiting requests, or failed."],
  notOpened: [7, "Some submissions could not be opened; everything else was written."],
  notSealed: [8, "Some submissions were never sealed, so they were left out; --plain includes them."],
  differs: [9, "An instance, a key, a page, an audit log, a list of members or an envelope is not what it should be."],
  hungUp: [129, "The terminal was closed."],
  interrupted: [130, "Interrupted with Ctrl-C."],
  terminated: [143, "Ended by SIGTERM."],
} as const satisfies Record<string, readonly [number, string]>;

export type ExitName = keyof typeof exitCodes;

/** An end of the program with a sentence for the person at the terminal. */
export class CommandError extends Error {
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string) {
    super(message);
    this.exit = exit;
  }
}

/** The end that an error means, with all that a person can do something about. */
export function toCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (error instanceof UnexpectedAnswerError) return new CommandError("unavailable", error.message);
  if (error instanceof ApiError) return new CommandError(exitOf(error), describe(error));
  if (error instanceof DOMException && error.name === "TimeoutError")
    return new CommandError("unavailable", error.message);
  if (error instanceof ConnectionError) return new CommandError("unavailable", error.message);
  // Requests that are not the API's: the platform's fetch says no more than "fetch failed" or "terminated"; the reason is in its cause.
  if (error instanceof TypeError && (error.cause !== undefined || error.message === "terminated")) {
    const reason = error.cause instanceof Error ? error.cause.message : error.message;
    return new CommandError("unavailable", `The server could not be reached: ${reason || error.message}`);
  }
  return new CommandError("failure", error instanceof Error ? error.message : String(error));
}

function exitOf({ status, code }: ApiError): ExitName {
  if (code === "unexpected_answer" || status === 429 || status >= 500) return "unavailable";
  if (status === 401 || status === 403) return "unauthorized";
  return status === 404 ? "notFound" : "refused";
}

/** Where there is more to say of a field than the API's sentence: by the code in `detailCodes`. */
const fieldHints: Readonly<Record<string, string>> = {
  webhook_url_not_https:
    "one that begins with https:// and leads to a public address. The server's operator can allow others with SEALPOST_WEBHOOK_ALLOW_NETWORKS. `sealpost webhooks listen` takes events on this computer.",
  webhook_url_private:
    "this one leads to a private, local or reserved address. The server's operator can allow it with SEALPOST_WEBHOOK_ALLOW_NETWORKS.",
  webhook_url_with_credentials: "without a user name or password; the receiver verifies the signature instead.",
};

function describeField(path: string, detail: string, code = ""): string {
  const hint = Object.hasOwn(fieldHints, code) ? fieldHints[code] : undefined;
  return `  ${printable(path)}: ${printable(detail)}${hint === undefined ? "" : `: ${hint}`}`;
}

function describe({ status, reason, message, details, detailCodes = {}, retryAfter, requestId }: ApiError): string {
  return [
    // A line break of the server's would begin a line that looks like one of this program's.
    printable(message),
    ...Object.entries(details ?? {}).map(([path, detail]) => describeField(path, detail, detailCodes[path])),
    ...(status === 401 ? ["Sign in with `sealpost login`, or set SEALPOST_TOKEN to an API key."] : []),
    ...(reason === "session_stale"
      ? [
          "The last `sealpost login` is more than an hour ago. Do it again. For most of what is about forms an API key (SEALPOST_TOKEN) is enough, but not for legal holds and handing over.",
        ]
      : []),
    ...(reason === "organization_none"
      ? ["See yours with `sealpost organizations list`, and act for one with `sealpost organizations switch`."]
      : []),
    ...(retryAfter === undefined ? [] : [`Try again in ${counted(retryAfter, "second")}.`]),
    ...(status >= 500 && requestId !== undefined
      ? [`The request's id for the operator is ${printable(requestId)}.`]
      : []),
  ].join("\n");
}

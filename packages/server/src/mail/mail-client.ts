import type { MailTexts } from "@sealpost/texts";
import type { AccountId } from "@sealpost/wire";
import type { Mailbox, SmtpTarget } from "../config/smtp-target.ts";
import { deadlineMilliseconds, isNoticeKind, type Mail, type SendResult } from "./mail.ts";
import { type MailFailure, quoteServer } from "./mail-failure.ts";
import { languageOf } from "./mail-language.ts";
import { writeMail } from "./mail-text.ts";
import type { SmtpTransport } from "./smtp-transport.ts";
import type { UnsubscribeLinks } from "./unsubscribe-link.ts";

export interface MailClientOptions {
  readonly target: SmtpTarget;
  readonly from: Mailbox;
  readonly baseUrl: () => string;
  /** The link in a notice that ends those of its form, or of all forms. */
  readonly unsubscribeUrl: UnsubscribeLinks["create"];
  /** Certificate authorities (PEM) instead of the system's. */
  readonly ca?: string | undefined;
}

/** How a try ended. */
export interface SendReport {
  readonly result: SendResult;
  /** A word about why, for the log: it names no address and nothing that the server said. */
  readonly reason?: string;
  /** For operators. Also where others of its addresses got the mail. */
  readonly failure?: MailFailure;
}

/** Speaks to the mail server. */
export interface MailClient {
  /** A notice goes to each owner on its own, because its link to unsubscribe is theirs; every other mail goes to twenty addresses at once. */
  send(mail: Mail, addresses: readonly string[], owners: ReadonlyMap<string, AccountId>): Promise<SendReport>;
  /** Connects, secures the connection and signs in as for a mail, and sends none. Throws when that fails. */
  greet(): Promise<void>;
}

/** More of one email than that a mail server may refuse. */
const recipientsMax = 20;

/** Nothing of it is loaded, nor any connection opened, before the first email. */
export function createMailClient({ target, from, baseUrl, unsubscribeUrl, ca }: MailClientOptions): MailClient {
  const name = () => new URL(baseUrl()).hostname;
  let loading: Promise<SmtpTransport> | undefined;
  const loadTransport = () => {
    loading ??= import("./smtp-transport.ts").then(({ createSmtpTransport }) =>
      createSmtpTransport(target, name(), ca),
    );
    return loading;
  };

  return {
    async send(mail, addresses, owners) {
      const isNotice = isNoticeKind(mail.subject.kind);
      const missed = new Set(addresses);
      let failed: Omit<SendReport, "failure"> | undefined;
      let sentence: string | undefined;
      let isOver = false;
      try {
        const transport = await inTime(loadTransport());
        const texts = await languageOf(mail).load.mail();
        const sendTo = async (to: readonly string[], owner: AccountId | undefined) => {
          const { rejected, rejectedErrors } = await transport.sendMail(toMessage(texts, mail, to, owner));
          const refused = to.filter((address) => rejected.some((one) => one === address));
          for (const address of to) if (!refused.includes(address)) missed.delete(address);
          if (refused.length > 0) sentence = quoteServer(rejectedErrors?.[0]);
        };
        const sendEach = async () => {
          const count = isNotice ? 1 : recipientsMax;
          for (let index = 0; index < addresses.length; index += count) {
            if (isOver) return;
            const to = addresses.slice(index, index + count);
            await sendTo(to, isNotice ? owners.get(to.join()) : undefined).catch((error: unknown) => {
              const described = describeFailure(error);
              // The mail server itself: nobody else's is tried in vain.
              if (described.result === "failed") throw error;
              failed = described;
              sentence = quoteServer(error);
            });
          }
        };
        await inTime(sendEach());
      } catch (error) {
        isOver = true;
        failed = describeFailure(error);
        sentence = quoteServer(error);
      }
      const to = addresses.filter((address) => missed.has(address));
      if (to.length === 0) return { result: "sent" };
      const failure = { to, sentence: sentence ?? "" };
      // Tried again where that may help, at the addresses that were missed alone.
      if (failed !== undefined && (failed.result === "failed" || to.length === addresses.length))
        return { ...failed, failure };
      return { result: "sent", failure };
    },
    async greet() {
      await inTime((await loadTransport()).verify());
    },
  };

  function toMessage(texts: MailTexts, mail: Mail, addresses: readonly string[], personId: AccountId | undefined) {
    const formId = "formId" in mail.subject ? mail.subject.formId : undefined;
    const { accountId, createdAt: sentAt } = mail;
    const ending = personId === undefined ? "" : unsubscribeUrl({ accountId, personId, formId, sentAt });
    const { subject, text, link } = writeMail(texts, mail.subject, baseUrl(), ending);
    const hostname = name();
    return {
      from,
      // As objects, so that nothing in one is read as a second address.
      to: addresses.map((address) => ({ name: "", address })),
      subject,
      text,
      // The same at each try: a mail that was sent twice, because we ended in between, is one for the mail program.
      messageId: `<${mail.id}@${hostname}>`,
      date: new Date(mail.createdAt),
      headers: {
        "Auto-Submitted": "auto-generated",
        "X-Auto-Response-Suppress": "All",
        // Mail programs sort by it: the form, though its name is not in the mail.
        ...(formId !== undefined && { "List-Id": `<${formId}.${hostname}>` }),
        ...(personId !== undefined && {
          "List-Unsubscribe": `<${ending}>`,
          // RFC 8058: mail programs may do it by a POST, without a page.
          "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        }),
        ...(formId !== undefined && { "List-Archive": `<${link}>` }),
      },
    };
  }
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("deadline")), deadlineMilliseconds);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** A 5xx to the address or the text is the server's last word. Everything else, a wrong password too, may be mended. */
function describeFailure(error: unknown): SendReport {
  const { code, responseCode } = Object(error) as { readonly code?: unknown; readonly responseCode?: unknown }; // any object has optional members
  const isFinal =
    (code === "EENVELOPE" || code === "EMESSAGE") && typeof responseCode === "number" && responseCode >= 500;
  const reason = [code, responseCode].filter((part) => typeof part === "string" || typeof part === "number").join(" ");
  return { result: isFinal ? "refused" : "failed", reason: reason === "" ? "no answer in time" : reason };
}

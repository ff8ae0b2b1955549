import type { MailTexts } from "@sealpost/texts";
import type { AccountId } from "@sealpost/wire";
import type { Mailbox, SmtpTarget } from "../config/smtp-target.ts";
import { deadlineMilliseconds, type Mail } from "./mail.ts";
import { languageOf } from "./mail-language.ts";
import { writeMail } from "./mail-text.ts";
import { createAnswers, isNotice, listBatches, type SendReport } from "./recipient-answers.ts";
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

/** Speaks to the mail server. */
export interface MailClient {
  /**
   * A notice goes to each owner on its own, because its link to unsubscribe is theirs. Every other mail goes to twenty addresses at once, and to each on
   * its own when it is tried again. Each address has an answer of its own.
   */
  send(mail: Mail, addresses: readonly string[], owners: ReadonlyMap<string, AccountId>): Promise<SendReport>;
  /** Connects, secures the connection and signs in as for a mail, and sends none. Throws when that fails. */
  greet(): Promise<void>;
}

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
      const answers = createAnswers(addresses);
      try {
        const transport = await inTime(loadTransport());
        const texts = await languageOf(mail).load.mail();
        const sendEach = async () => {
          for (const to of listBatches(mail, addresses)) {
            if (answers.isOver()) return;
            await transport
              .sendMail(toMessage(texts, mail, to, isNotice(mail) ? owners.get(to.join()) : undefined))
              .then(({ rejectedErrors = [] }) => answers.note(to, rejectedErrors))
              .catch((error: unknown) => answers.noteFailed(to, error));
          }
        };
        await inTime(sendEach());
      } catch (error) {
        answers.end(error);
      }
      return answers.report();
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

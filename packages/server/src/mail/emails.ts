import type { AccountId } from "@sealpost/wire";
import { instanceLog } from "../audit-log/operator-entries.ts";
import type { SendReset } from "../authentication/auth.ts";
import type { Config } from "../config/config.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { afterUnit } from "../database/unit-of-work.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import type { Clock } from "../time/clock.ts";
import { insertEmails } from "./insert-emails-store.ts";
import type { AddressSubject } from "./mail.ts";
import { createMailClient } from "./mail-client.ts";
import { createMailStore } from "./mail-store.ts";
import { createMailSwitchStore, type MailSwitchStore } from "./mail-switch-store.ts";
import { createMailWorker, type MailWorker, type MailWorkerLog } from "./mail-worker.ts";
import { createNoticeStore } from "./notice-store.ts";
import { createQuotaNoticeStore } from "./quota-notice-store.ts";
import { createSendRefusalNotice, type SendRefusalNotice } from "./refusal-notice-store.ts";
import { createSendSecurityMail, type SendSecurityMail } from "./security-mail-store.ts";
import { createUnsubscribeLinks, type UnsubscribeLinks } from "./unsubscribe-link.ts";

/** The transport of emails, where it is not the default. */
export interface EmailsOptions {
  /** Certificate authorities (PEM) instead of the system's. */
  readonly ca?: string;
}

/** The part of the store of account states that emails need. */
export interface AccountStates {
  isDisabled(accountId: AccountId): Promise<boolean>;
  /** The token for a link to verify the account's address; only its hash is kept. */
  createVerification(transaction: DatabaseTransaction, accountId: AccountId, now: number): Promise<string>;
}

export interface EmailsDependencies extends EmailsOptions {
  readonly config: Pick<Config, "mail" | "hasQuotas" | "defaultPlan">;
  readonly database: Database;
  readonly secretBox: SecretBox;
  readonly accountStates: AccountStates;
  readonly clock: Clock;
  /** Whether the clock may say what is too old. */
  readonly isClockTrusted: (now: number) => Promise<boolean>;
  readonly baseUrl: () => string;
}

/** An invitation, as far as its email needs it. */
export interface MailedInvitation {
  /** `undefined`: to the instance. */
  readonly organizationId?: AccountId;
  readonly email: string;
  readonly createdAt: number;
}

export type AddInvitationMail = (
  transaction: DatabaseTransaction,
  invitation: MailedInvitation,
  token: string,
) => Promise<void>;

/** `undefined` on an instance that sends no emails. */
export function createAddInvitationMail(
  { mail }: Pick<Config, "mail">,
  secretBox: SecretBox,
): AddInvitationMail | undefined {
  if (mail === undefined) return undefined;
  return (transaction, { organizationId, email: address, createdAt }, token) => {
    const kind = organizationId === undefined ? "instance_invitation" : "invitation";
    const subject = { kind, token, address } as const;
    return insertEmails(transaction, organizationId ?? instanceLog, [subject], createdAt, secretBox);
  };
}

/** An email about a move to another address. */
export type AddressMail = Omit<AddressSubject, "kind" | "token"> & { readonly token?: string | undefined };

/** Everything about content-free emails, put together from its parts. */
export interface Emails {
  readonly switches: MailSwitchStore;
  readonly unsubscribeLinks: UnsubscribeLinks;
  /** `undefined` on an instance that sends no emails. */
  readonly sendReset: SendReset | undefined;
  /** The same. Emails the link to verify the account's address; `false` when there were too many already. */
  readonly sendVerification: ((accountId: AccountId) => Promise<boolean>) | undefined;
  readonly sendSecurityMail: SendSecurityMail;
  readonly sendRefusalNotice: SendRefusalNotice;
  /** Queues the email with an invitation's link. `undefined` on an instance that sends no emails. */
  readonly addInvitationMail: AddInvitationMail | undefined;
  /** Queues an email about a move to another address; false when there were too many. `undefined` on an instance that sends no emails. */
  readonly addAddressMail:
    | ((transaction: DatabaseTransaction, personId: AccountId, mail: AddressMail) => Promise<boolean>)
    | undefined;
  /** Says that a commit left emails to send. */
  wake(): void;
  start(log: MailWorkerLog): void;
  stop(): Promise<void>;
}

export function createEmails({
  config: { mail, hasQuotas, defaultPlan },
  database,
  secretBox,
  accountStates,
  clock,
  isClockTrusted,
  baseUrl,
  ca,
}: EmailsDependencies): Emails {
  const emails = createMailStore(database, secretBox);
  const unsubscribeLinks = createUnsubscribeLinks(secretBox, baseUrl);
  let worker: MailWorker | undefined;
  const wake = () => afterUnit(database, () => worker?.wake());
  return {
    unsubscribeLinks,
    switches: createMailSwitchStore(database),
    sendReset:
      mail === undefined
        ? undefined
        : async (accountId, token, isKnownBrowser) => {
            if (await accountStates.isDisabled(accountId)) return;
            if (await emails.addReset(accountId, token, clock.now(), isKnownBrowser)) wake();
          },
    sendVerification:
      mail === undefined
        ? undefined
        : async (accountId) => {
            const now = clock.now();
            const createToken = (transaction: DatabaseTransaction) =>
              accountStates.createVerification(transaction, accountId, now);
            const isSent = await emails.addVerification(accountId, createToken, now);
            if (isSent) wake();
            return isSent;
          },
    addInvitationMail: createAddInvitationMail({ mail }, secretBox),
    addAddressMail:
      mail === undefined
        ? undefined
        : (transaction, personId, { token, ...rest }) =>
            emails.addAddress(transaction, personId, { kind: "address", token, ...rest }, clock.now()),
    sendSecurityMail: createSendSecurityMail({ hasMail: mail !== undefined }),
    sendRefusalNotice: createSendRefusalNotice(secretBox, mail !== undefined),
    wake,
    start(log) {
      if (mail === undefined) return;
      const notices = [
        createNoticeStore(database, secretBox),
        ...(hasQuotas ? [createQuotaNoticeStore(database, secretBox, defaultPlan)] : []),
      ];
      const client = createMailClient({
        target: mail.target,
        from: mail.from,
        baseUrl,
        unsubscribeUrl: unsubscribeLinks.create,
        ca,
      });
      worker = createMailWorker({ emails, notices, client, clock, isClockTrusted, mayOpen: secretBox.isOpen, log });
      worker.start();
    },
    async stop() {
      await worker?.stop();
    },
  };
}

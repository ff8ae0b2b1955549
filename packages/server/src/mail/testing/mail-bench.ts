import { randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import type { SmtpTarget } from "../../config/smtp-target.ts";
import { silentWebhooks } from "../../forms/testing/test-form.ts";
import { createSingleRing } from "../../instance/key-ring.ts";
import { createSecretBox, type SecretBox } from "../../instance/secret-box.ts";
import { loadSecrets } from "../../instance/secret-file.ts";
import type { FakeClock } from "../../testing/fake-clock.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import type { TestScope } from "../../testing/temporary-folder.ts";
import { createTestDatabase } from "../../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../../testing/test-service.ts";
import { createMailClient } from "../mail-client.ts";
import { createMailStore, type MailStore } from "../mail-store.ts";
import { createMailWorker, type MailWorker } from "../mail-worker.ts";
import { createNoticeStore } from "../notice-store.ts";
import { createQuotaNoticeStore } from "../quota-notice-store.ts";
import { createUnsubscribeLinks } from "../unsubscribe-link.ts";
import { type SmtpServerOptions, startSmtpServer, type TestSmtpServer } from "./smtp-server.ts";

export interface MailBench {
  readonly service: TestService;
  readonly account: TestAccount;
  readonly clock: FakeClock;
  readonly smtp: TestSmtpServer;
  readonly store: MailStore;
  /** Seals and opens what the emails of `store` hold. */
  readonly secretBox: SecretBox;
  /** The worker's log. */
  readonly logged: readonly { readonly message: string; readonly details: object }[];
  /** A worker as another process has it. */
  createWorker(): MailWorker;
  /** Looks and sends until nothing is due. */
  run(): Promise<void>;
}

export interface MailBenchOptions extends SmtpServerOptions {
  /** The service itself sends emails too, so that its routes put them into the queue. */
  readonly isServiceMailing?: boolean;
  /** The store of the workers, made from the real one. */
  readonly wrapStore?: (store: MailStore) => MailStore;
  /** Whether the clock may say what is too old; it may when omitted. */
  readonly isClockTrusted?: () => boolean;
}

export const from = { name: "Forms", address: "forms@example.com" };
export const baseUrl = "https://forms.example.com";

/**
 * A service that has no mail worker of its own, and separate workers that run on demand, against a real mail
 * server. The clock stands until it is moved.
 */
export async function createMailBench(t: TestScope, options: MailBenchOptions = {}): Promise<MailBench> {
  const clock = createFakeClock(Date.now());
  const smtp = await startSmtpServer(t, options);
  const environment = options.isServiceMailing
    ? {
        SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
        SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
      }
    : {};
  const service = await createTestService(t, { clock, deliveries: silentWebhooks, environment });
  const account = await service.signUp("owner@example.com");
  const target: SmtpTarget = { host: "127.0.0.1", port: smtp.port, tls: "off", login: undefined };
  const secretBox = createSecretBox(createSingleRing(randomBytes(32)));
  // The service's own, which answers the links.
  const serviceBox = createSecretBox(createSingleRing(await loadServiceSecret(t, service.folder)));
  const store = createMailStore(service.database, secretBox);
  const logged: { message: string; details: object }[] = [];
  const note = (details: object, message: string) => void logged.push({ message, details });
  const createWorker = () =>
    createMailWorker({
      mayOpen: () => true,
      emails: options.wrapStore?.(store) ?? store,
      notices: [
        createNoticeStore(service.database, secretBox),
        createQuotaNoticeStore(service.database, secretBox, "free"),
      ],
      client: createMailClient({
        target,
        from,
        baseUrl: () => baseUrl,
        unsubscribeUrl: createUnsubscribeLinks(serviceBox, () => baseUrl).create,
      }),
      clock,
      isClockTrusted: async () => options.isClockTrusted?.() ?? true,
      log: { error: note, warn: note },
    });
  const worker = createWorker();
  // Starts the emails: forms that come later are new to their owners.
  await worker.run();
  return { service, account, clock, smtp, store, secretBox, logged, createWorker, run: worker.run };
}

async function loadServiceSecret(t: TestScope, folder: string): Promise<Uint8Array> {
  const { SEALPOST_SECRET: configured } = await createTestDatabase(t, folder);
  const [kept = new Uint8Array()] = configured === undefined ? loadSecrets(undefined, folder) : [];
  return configured === undefined ? kept : Buffer.from(configured, "base64");
}

/** The account's id, as the stores take it. */
export function accountIdOf(account: TestAccount): AccountId {
  return account.id as AccountId; // as the service answered it
}

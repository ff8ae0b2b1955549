import type { Config } from "../config/config.ts";
import type { Clock } from "../time/clock.ts";
import { createFindTarget } from "../webhooks/webhook-target.ts";
import { checkConfig } from "./check-config.ts";
import { checkDatabase } from "./check-database.ts";
import { checkFolder } from "./check-folder.ts";
import { checkIdentityProvider } from "./check-identity-provider.ts";
import { checkMail } from "./check-mail.ts";
import { checkPublicUrl, checkService } from "./check-service.ts";
import { checkStorage } from "./check-storage.ts";
import { checkWebhook } from "./check-webhook.ts";
import type { Finding } from "./finding.ts";

export interface DoctorOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** The URL of a receiver that shall be reachable. */
  readonly webhook: string | undefined;
}

/** Looks at an instance from outside, served or not, and changes nothing. */
export async function examine({ config, clock, webhook }: DoctorOptions): Promise<readonly Finding[]> {
  const usesFolder = config.databaseUrl === undefined;
  return [
    ...checkConfig(config),
    // The files of a PostgreSQL database can't be seen from here.
    ...(usesFolder ? checkFolder(config.dataFolder) : []),
    await checkStorage(config),
    ...(await checkDatabase(config, clock.now(), createFindTarget(config.webhookAllowNetworks))),
    ...(await checkService(config)),
    ...(await checkPublicUrl(config, clock.now())),
    ...(await checkMail(config)),
    ...(await checkIdentityProvider(config, clock)),
    ...(webhook === undefined ? [] : await checkWebhook(webhook, config)),
  ];
}

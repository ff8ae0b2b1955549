import { purgeAccounts } from "../../account-life/testing/purge-accounts.ts";
import { createAuditRetentionStore } from "../../audit-log/audit-retention-store.ts";
import { createRemoveShortened } from "../../audit-log/audit-shortening-store.ts";
import { createForm, postPlain } from "../../forms/testing/test-form.ts";
import { createBinPurgeStore } from "../../retention/bin-purge-store.ts";
import { createPurgeStore } from "../../retention/purge-store.ts";
import { createPurgeSteps, type PurgeStepDependencies, purgeAll } from "../../retention/purge-worker.ts";
import { createRetentionStore } from "../../retention/retention-store.ts";
import type { TestService } from "../../testing/test-service.ts";
import { dayMilliseconds } from "../../time/clock.ts";
import { createRemoveEnded, createTidy } from "../ended-rows.ts";
import { later, type Scene } from "./called-back-cases.ts";

/** An owner with a form and a submission. */
export async function createScene(service: TestService): Promise<Scene> {
  const owner = await service.signUp();
  const formId = await createForm(owner, { encryption: false, binDays: 1 });
  await postPlain(service, formId);
  return { service, owner, formId, form: `/api/forms/${formId}` };
}

/** The stores and functions of which the steps of the service's own worker are made. */
export function createStepDependencies({ database }: Pick<TestService, "database">): PurgeStepDependencies {
  const auditRetention = createAuditRetentionStore(database);
  return {
    purge: createPurgeStore(database),
    retention: createRetentionStore(database),
    bin: createBinPurgeStore(database),
    purgeAuditLog: (now) => auditRetention.removeBefore(now - 365 * dayMilliseconds, now),
    shortenAuditLog: createRemoveShortened(database, async () => false),
    purgeEnded: createRemoveEnded(database),
    tidy: createTidy(database),
    async purgeAccounts(now) {
      await purgeAccounts({ database }, now);
      return false;
    },
    remind: async () => false,
  };
}

/** All steps of the worker, at `later`. */
export async function purgeLater(service: TestService): Promise<void> {
  const steps = createPurgeSteps(createStepDependencies(service));
  await purgeAll({ steps, now: later, isTrusted: true, wakeDeliveries: () => {}, isStopped: () => false });
}

import { purgeAccounts } from "../../account-life/testing/purge-accounts.ts";
import { createForm, postPlain } from "../../forms/testing/test-form.ts";
import { createBinPurgeStore } from "../../retention/bin-purge-store.ts";
import { createPurgeStore } from "../../retention/purge-store.ts";
import { purgeAll } from "../../retention/purge-worker.ts";
import { createRetentionStore } from "../../retention/retention-store.ts";
import { createFakeClock } from "../../testing/fake-clock.ts";
import type { TestService } from "../../testing/test-service.ts";
import { removeEnded } from "../ended-rows.ts";
import { later, type Scene } from "./called-back-cases.ts";

/** An owner with a form and a submission. */
export async function createScene(service: TestService): Promise<Scene> {
  const owner = await service.signUp();
  const formId = await createForm(owner, { encryption: false, binDays: 1 });
  await postPlain(service, formId);
  return { service, owner, formId, form: `/api/forms/${formId}` };
}

/** All steps of the worker, at `later`. */
export async function purgeLater({ database }: TestService): Promise<void> {
  await purgeAll({
    purge: createPurgeStore(database),
    retention: createRetentionStore(database),
    bin: createBinPurgeStore(database),
    purgeAuditLog: async () => false,
    purgeEnded: (now) => removeEnded(database, now),
    async purgeAccounts(now) {
      await purgeAccounts({ database }, now);
      return false;
    },
    remind: async () => false,
    clock: createFakeClock(later),
    wakeDeliveries: () => {},
    isStopped: () => false,
  });
}

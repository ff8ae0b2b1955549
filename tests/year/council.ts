import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createId, type Fields, seal, sealHybrid } from "@sealpost/wire";
import type { BrowserContext, Page } from "playwright-core";
import { createFakeClock } from "../../packages/server/src/testing/fake-clock.ts";
import { createTemporaryFolder } from "../../packages/server/src/testing/temporary-folder.ts";
import { type Dashboard, startDashboard } from "../dashboard/dashboard.ts";
import { phone } from "../support/check-page.ts";
import { launchBrowser } from "../support/chromium.ts";
import { type Camera, createCamera } from "./camera.ts";
import { installClock, moveClock } from "./clock.ts";

export const dayMilliseconds = 86_400_000;

/** Six words seal and open in seconds of a processor of its own; next to other work each took more than the minute of other tests. */
const patienceMilliseconds = 300_000;

/** A submission that was accepted: none of them may ever be lost. */
export interface LedgerEntry {
  readonly id: string;
  readonly form: string;
  readonly fields: Fields;
}

/** The service on a clock of the test's, the devices of its people, and visitors who send. */
export interface Council {
  readonly dashboard: Dashboard;
  readonly camera: Camera;
  /** Everything that the service has ever accepted, the oldest first. */
  readonly ledger: readonly LedgerEntry[];
  /** For the service and for every device. */
  passDays(days: number): Promise<void>;
  /** A phone on which nobody has signed in. */
  takeDevice(): Promise<Page>;
  /** A blank page that draws for tests. */
  readonly blank: Page;
  /** Visitors send these to the form, each sealed to its key of now. */
  send(form: { readonly id: string; readonly name: string }, ...messages: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export async function startCouncil(): Promise<Council> {
  const closers: (() => unknown)[] = [];
  const folder = createTemporaryFolder({ after: (close) => closers.push(close as () => unknown) });
  const camera = createCamera(join(folder, "camera.y4m"));
  // A year of the past: the sign-in library ends its sessions by the system's clock, however late it is by ours.
  const clock = createFakeClock(Date.UTC(2025, 0, 13, 9));
  const dashboard = await startDashboard({
    clock,
    environment: { SEALPOST_SIGNUP: "first" },
    launch: () => launchBrowser({ prefersShell: true, camera: camera.file }),
  });
  const { service } = dashboard;
  const devices = new Set<BrowserContext>();
  const ledger: LedgerEntry[] = [];
  const blank = await dashboard.browser.newPage();

  return {
    dashboard,
    camera,
    ledger,
    blank,
    async passDays(days) {
      clock.advance(days * dayMilliseconds);
      for (const device of devices) await moveClock(device, clock.now());
    },
    async takeDevice() {
      const device = await dashboard.open("about:blank", {
        ...phone,
        hasTouch: true,
        locale: "en-GB",
        timezoneId: "UTC",
      });
      const context = device.context();
      context.setDefaultTimeout(patienceMilliseconds);
      await installClock(context, clock.now);
      devices.add(context);
      context.once("close", () => devices.delete(context));
      return device;
    },
    async send(form, ...messages) {
      for (const message of messages) {
        clock.advance(60_000);
        const fields = { message, place: "Plant 2" };
        const submissionId = createId("submission", clock.now());
        const { body } = await service.request("GET", `/api/forms/${form.id}/public`);
        const { publicKey, hybridPublicKey, keyVersion } = body.form;
        const binding = { formId: body.form.id, keyVersion, submissionId };
        const payload = hybridPublicKey
          ? await sealHybrid(fields, binding, hybridPublicKey)
          : await seal(fields, binding, publicKey);
        const sent = { id: submissionId, keyVersion, payload, timestamp: clock.now() };
        const { status } = await service.request("POST", `/api/forms/${form.id}/submissions`, { body: sent });
        assert.equal(status, 201);
        ledger.push({ id: submissionId, form: form.name, fields });
      }
    },
    async close() {
      await dashboard.close();
      for (const close of closers.reverse()) await close();
    },
  };
}

/** The rows of an export in JSON. */
export function readExport(path: string): readonly { readonly id: string; readonly fields: Fields }[] {
  return JSON.parse(readFileSync(path, "utf8"));
}

import { createClient, generateKeyPair, type KeyPair, openSubmission, type PublicKey } from "@sealpost/sdk";
import type { Fields, HybridKeyPair } from "@sealpost/wire";
import { importHybridOpeningKey, importOpeningKey } from "@sealpost/wire/open";
import { createTestService, type TestService } from "../../packages/server/src/testing/test-service.ts";
import { createCertificate } from "../../scripts/demo/certificate.ts";
import type { Engine } from "./driver.ts";
import { type Gate, type Site, startGate, startSite } from "./site.ts";
import { createTab, type Tab } from "./tab.ts";

/** A real service with HTTPS, somebody's website on HTTPS, and a visitor in a real browser. */
export interface Visit {
  readonly service: TestService;
  readonly site: Site;
  readonly gate: Gate;
  readonly tab: Tab;
  /** A form of its own, so that the browser has nothing of an earlier one in its cache. */
  createForm(
    settings?: { readonly encryption?: boolean; readonly piiStrip?: boolean },
    hybrid?: HybridKeyPair,
  ): Promise<VisitedForm>;
  close(): Promise<void>;
}

export interface VisitedForm {
  readonly id: string;
  readonly pair: KeyPair;
  /** The snippet as the service gives it, by way of the gate. */
  readonly embedCode: string;
  /** Every submission of the form, opened by its owner. */
  opened(): Promise<(Fields | string)[]>;
}

export async function startVisit(engine: Engine): Promise<Visit> {
  const closers: (() => unknown)[] = [];
  const certificate = await createCertificate();
  const service = await createTestService({ after: (close) => closers.push(close as () => unknown) });
  const gate = await startGate(certificate, service.url);
  closers.push(gate.down);
  const site = await startSite(certificate);
  closers.push(site.close);
  const driver = await engine.start();
  closers.push(driver.close);
  const account = await service.signUp();
  const client = createClient({ baseUrl: service.url, token: account.token });
  let count = 0;
  return {
    service,
    site,
    gate,
    tab: createTab(driver),
    async createForm(settings = {}, hybrid) {
      const pair = await generateKeyPair();
      const publicKey: PublicKey = pair.publicKey;
      const publicHalves = { publicKey, ...(hybrid && { hybridPublicKey: hybrid.publicKey }) };
      const { id } = await client.forms.create({ name: `Form ${++count}`, ...publicHalves, settings });
      const { embedCode } = await client.forms.get(id);
      return {
        id,
        pair,
        embedCode: embedCode.replaceAll(service.url, gate.url),
        async opened() {
          const hybridKey = hybrid && (await importHybridOpeningKey(hybrid.privateKey));
          const key = { ...(await importOpeningKey(pair.privateKey)), ...(hybridKey && { hybrid: hybridKey }) };
          const { submissions } = await client.submissions.list(id);
          return Promise.all(
            submissions.map(async (submission) => {
              const acceptPlain = settings.encryption === false;
              const opened = await openSubmission(id, submission, [key], undefined, { acceptPlain });
              return opened.opened ? { ...opened.fields } : opened.reason;
            }),
          );
        },
      };
    },
    async close() {
      for (const close of closers.reverse()) await close();
    },
  };
}

/** Resolves when the page's form is in `state`, and gives the visitor's message. */
export async function untilState(tab: Tab, state: string): Promise<string> {
  await tab.until((wanted) => document.querySelector(`form[data-sealpost-state="${wanted}"]`) !== null, state);
  return tab.run(() =>
    Array.from(document.querySelectorAll('[role="status"], [role="alert"]'), ({ textContent }) => textContent)
      .join("")
      .trim(),
  );
}

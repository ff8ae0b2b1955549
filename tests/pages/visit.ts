import { createClient, openSubmission } from "@sealpost/sdk";
import { importOpeningKey } from "@sealpost/wire/open";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { type Certificate, createCertificate } from "../../scripts/demo/certificate.ts";
import type { Driver } from "../browsers/driver.ts";
import { startGate } from "../browsers/site.ts";
import { createTab, type Tab } from "../browsers/tab.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { type PageSite, type Received, startPageSite } from "./site.ts";

/** A real service, somebody's website with a server of its own, and a visitor in a real browser. */
export interface PageVisit {
  readonly site: PageSite;
  readonly tab: Tab;
  createForm(settings?: { readonly encryption: boolean }): Promise<PageForm>;
  /** Everything that the page's server was sent, except for requests that the page makes of its own accord. */
  receivedBeyond(ownRequests?: RegExp): readonly Received[];
  close(): Promise<void>;
}

export interface PageForm {
  readonly id: string;
  readonly serviceUrl: string;
  /** The service's own `embedCode`; with options, its script and a call of `init`. */
  snippet(options?: string): string;
  /** Every submission of the form, opened by its owner, oldest first. */
  opened(): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Far above what any page takes; a page that is wrong waits as long. */
export const patienceMilliseconds = 20_000;

export async function startPageVisit(driver: Driver, { isSecure }: { readonly isSecure: boolean }): Promise<PageVisit> {
  const closers: (() => unknown)[] = [driver.close];
  const certificate: Certificate | undefined = isSecure ? await createCertificate() : undefined;
  const service = await createTestService({ after: (close) => closers.push(close as () => unknown) });
  const gate = certificate && (await startGate(certificate, service.url));
  if (gate) closers.push(gate.down);
  const serviceUrl = gate?.url ?? service.url;
  const site = await startPageSite(certificate);
  closers.push(site.close);
  const { token } = await service.signUp();
  const client = createClient({ baseUrl: service.url, token });
  let count = 0;
  return {
    site,
    tab: createTab(driver, patienceMilliseconds),
    receivedBeyond: (ownRequests) =>
      site.received.filter(({ method, path, query }) => !ownRequests?.test(`${method} ${path}${query}`)),
    async createForm(settings = { encryption: true }) {
      const { publicKey, privateKey } = takeKeyPair();
      const { id } = await client.forms.create({ name: `Form ${++count}`, publicKey, settings });
      const { embedCode } = await client.forms.get(id);
      const code = embedCode.replaceAll(service.url, serviceUrl);
      return {
        id,
        serviceUrl,
        snippet: (options) => (options === undefined ? code : `${scriptOf(code)}${initOf(id, options)}`),
        async opened() {
          const key = await importOpeningKey(privateKey);
          const { submissions } = await client.submissions.list(id);
          return Promise.all(
            submissions.toReversed().map(async (submission) => {
              const opened = await openSubmission(id, submission, [key], undefined, {
                acceptPlain: !settings.encryption,
              });
              return opened.opened ? opened.fields : { "not opened": opened.reason };
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

/** The first script element of a snippet, without what would bind the form by itself. */
function scriptOf(code: string): string {
  const [tag = ""] = /<script [^>]*><\/script>/.exec(code) ?? [];
  return tag.replace(/ data-sealpost(-options)?=("[^"]*"|'[^']*')/g, "");
}

function initOf(id: string, options: string): string {
  return `<script>Sealpost.init(${JSON.stringify(id)}, ${options});</script>`;
}

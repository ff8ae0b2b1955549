/**
 * `npm run dev`: the service on its sources with a demo account, restarted when one of them changes; the dashboard with hot
 * reload; pages of another site with each form; and a receiver for webhooks. The data stays in `.dev`; `-- --fresh`
 * starts over, `-- --port 9000` takes ports 9000 to 9003. SEALPOST_ variables reach the service, except for its port and folder.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createClient, createReceiver } from "@sealpost/sdk";
import { createCertificate } from "../demo/certificate.ts";
import { describeReceived, startDemoReceiver } from "../demo/receiver.ts";
import { documentationFile } from "../documentation/build.ts";
import { createDevAccount, reuseDevAccount } from "./account.ts";
import { createDevDocumentation } from "./documentation.ts";
import { startFront } from "./front.ts";
import { startDevService } from "./service.ts";
import { startSite } from "./site.ts";
import { type DevForm, type DevState, devFolder, prepareFolder } from "./state.ts";
import { watchSources } from "./watch.ts";

const { values: options } = parseArgs({
  options: {
    port: { type: "string", default: "8080" },
    fresh: { type: "boolean", default: false },
    folder: { type: "string", default: devFolder },
    submissions: { type: "string", default: "120" },
  },
});
const folder = resolve(options.folder);
const port = Number(options.port);
const url = `http://localhost:${port}`;
const say = (line: string) => void process.stdout.write(`${line}\n`);
const closers: (() => unknown)[] = [];
let stopped: Promise<void> | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void stop(0));

try {
  await start();
} catch (error) {
  console.error(describe(error));
  await stop(1);
}

async function start(): Promise<void> {
  prepareFolder(folder, options.fresh);
  const certificate = await createCertificate();
  writeFileSync(join(folder, "certificate.pem"), certificate.cert);
  let isSeeding = true;
  const receiver = await startDemoReceiver({
    certificate,
    port: port + 2,
    onReceived(received, path) {
      // The deliveries of the first start would bury what it says.
      if (!isSeeding) say(describeReceived(received)[0] ?? "");
      return path === "/fails" ? 500 : undefined;
    },
  });
  closers.push(receiver.close);

  const service = startDevService(
    {
      SEALPOST_SUBMIT_RATE: "0",
      SEALPOST_API_RATE: "0",
      SEALPOST_LOG_LEVEL: "warn",
      SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128",
      ...process.env,
      SEALPOST_DATA: join(folder, "data"),
      SEALPOST_HOST: "localhost",
      SEALPOST_PORT: String(port + 3),
      SEALPOST_BASE_URL: url,
      NODE_EXTRA_CA_CERTS: join(folder, "certificate.pem"),
    },
    say,
  );
  closers.push(service.stop);
  const documentation = await createDevDocumentation(documentationFile);
  const front = await startFront({ port, servicePort: port + 3, documentation, whenReady: service.whenReady });
  closers.push(front.close);

  const { setupToken } = await service.whenReady();
  const addToReceiver = async (form: DevForm) => {
    if (form.webhookPath === undefined || form.webhookSecret === undefined) return;
    const privateKeys =
      form.keyFile === undefined ? [] : [JSON.parse(readFileSync(join(folder, form.keyFile), "utf8"))];
    receiver.add(form.webhookPath, await createReceiver({ secrets: form.webhookSecret, privateKeys }));
  };
  const known = await reuseDevAccount(folder, { url, receiverUrl: receiver.url });
  for (const form of known?.forms ?? []) await addToReceiver(form);
  if (known === undefined && setupToken === undefined)
    throw new Error(`There is an account that npm run dev did not make. Start over: npm run dev -- --fresh`);
  const state =
    known ??
    (await createDevAccount({
      folder,
      url,
      receiverUrl: receiver.url,
      setupToken: setupToken ?? "",
      submissions: Number(options.submissions),
      onForm: addToReceiver,
    }));
  isSeeding = false;
  const site = await startSite(createClient({ baseUrl: url, token: state.apiKey }), port + 1);
  closers.push(site.close);
  watchSources({ vite: front.vite, service, documentation, site, say });
  announce(state, receiver.url);
}

function announce({ email, password, apiKey, forms }: DevState, receiverUrl: string): void {
  const shown = (file: string) => relative(process.cwd(), join(folder, file));
  say(`
Dashboard  ${url}  with hot reload
  sign in  ${email}  ${password}
  keys     ${forms.flatMap(({ keyFile }) => (keyFile === undefined ? [] : [shown(keyFile)])).join("\n           ")}
API key    ${apiKey}
Forms      http://localhost:${port + 1}  pages of another site, reloaded when the embed changes
Receiver   ${receiverUrl}  verifies and opens what comes

The service restarts when its sources change. npm run seed -- --submissions 1000 adds more submissions.
Ctrl+C ends it; the data stays in ${shown("")} until npm run dev -- --fresh.`);
}

function describe(error: unknown): string {
  const { code, port: taken, message = String(error) } = error as NodeJS.ErrnoException & { readonly port?: number }; // any error has these or not
  return code === "EADDRINUSE" ? `Port ${taken} is in use. npm run dev -- --port 9000 takes 9000 to 9003` : message;
}

/** The second signal, of an impatient person or a whole group, waits for what the first one ends. */
function stop(code: number): Promise<void> {
  stopped ??= closeAll().then(() => process.exit(code));
  return stopped;
}

async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

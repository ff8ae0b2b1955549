/**
 * `npm run demo`: the main job on real parts, without a click: a service on a temporary folder, a form whose key pair was
 * made here, a page on another origin with the form's own embed code, and an HTTPS receiver that verifies and opens what
 * comes. Stays up for clicks until Ctrl+C; `--once` ends after the first submission, `--screenshot FILE` keeps a picture.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createClient, createReceiver, generateKeyPair } from "@sealpost/sdk";
import { parseConfig } from "../../packages/server/src/config/config.ts";
import { startService } from "../../packages/server/src/service.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";
import { findChromium } from "../../tests/support/chromium.ts";
import { signUpForToken } from "../../tests/support/sign-up.ts";
import { createCertificate } from "./certificate.ts";
import { createDemoPage } from "./page.ts";
import { describeReceived, startDemoReceiver } from "./receiver.ts";
import { submitFromNode, submitInBrowser } from "./visitor.ts";

const { values: options } = parseArgs({
  options: { once: { type: "boolean", default: false }, screenshot: { type: "string" } },
});
const say = (line: string) => process.stdout.write(`${line}\n`);
const closers: (() => unknown)[] = [];
process.on("SIGINT", () => void stop());
process.on("SIGTERM", () => void stop());

// 1. A receiver on HTTPS, as your own server would be one. It gets its secret and key when the form exists.
const certificate = await createCertificate();
const firstOpened = Promise.withResolvers<void>();
const receiver = await startDemoReceiver({
  certificate,
  port: 0,
  onReceived(received) {
    for (const line of describeReceived(received)) say(line);
    if (received.verified && received.event.event === "submission.created" && received.event.opened.opened)
      firstOpened.resolve();
    return undefined;
  },
});
closers.push(() => receiver.close());

// 2. The service, on a folder that goes away and any free port.
const folder = mkdtempSync(join(tmpdir(), "sealpost-demo-"));
closers.push(() => rmSync(folder, { recursive: true, force: true }));
const service = await startService({
  config: parseConfig({
    SEALPOST_DATA: folder,
    SEALPOST_PORT: "0",
    SEALPOST_LOG_LEVEL: "warn",
    // Receivers on this machine are refused unless the operator opens the network, and so does the demo.
    SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128",
  }),
  clock: systemClock,
  deliveries: { ca: certificate.cert },
});
closers.push(() => service.stop());
say(`Service    ${service.url}`);

// 3. An account, and a form whose key pair is made here: the service never sees the private key.
const token = await signUpForToken(service);
const client = createClient({ baseUrl: service.url, token });
const { publicKey, privateKey } = await generateKeyPair();
const webhookUrl = `${receiver.url}/sealpost`;
const { id } = await client.forms.create({ name: "Ask the works council", publicKey, settings: { webhookUrl } });
const [form, secret] = await Promise.all([client.forms.get(id), client.webhooks.secret(id)]);
receiver.add("/sealpost", await createReceiver({ secrets: secret.secret, privateKeys: [privateKey] }));
say(`Form       ${id}`);
say(`Receiver   ${webhookUrl}`);

// 4. The page of a site's owner, on another origin than the service.
const pageServer = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(createDemoPage(form.embedCode));
});
const pageUrl = `http://localhost:${await listen(pageServer)}/`;
say(`Page       ${pageUrl}\n`);

// 5. A visitor: in a real browser where there is one.
if (findChromium() === undefined) {
  say("No Chromium here: the visitor's part is sealed by the same code in Node instead.");
  await submitFromNode(service.url, id);
} else {
  say("A visitor types into the page and presses the button …");
  await submitInBrowser(pageUrl, options.screenshot);
}
await firstOpened.promise;

const list = await client.submissions.list(id);
const stored = list.submissions[0]?.payload;
say("\nWhat the service has of it:");
say(`    ${JSON.stringify(stored).slice(0, 140)}…\n`);
if (options.once) await stop();
else say(`Now you: open ${pageUrl} and press the button. Ctrl+C ends the demo and removes its data.`);

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port; // it listens on TCP
}

async function stop(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
  process.exit(0);
}

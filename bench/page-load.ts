/**
 * `npm run bench -- page-load`: what a page with a form loads from the service until a visitor has sent it, request by request, in Chromium.
 * Bytes are those of the bodies after gzip at level 9, as a proxy serves them; headers are not counted.
 */
import { gzipSync } from "node:zlib";
import { fingerprint, hybridFingerprint } from "@sealpost/wire";
import type { Page, Response } from "playwright-core";
import {
  embedCode,
  keyLogCode,
  launchTestBrowser,
  startSite,
  styleTag,
  untilState,
} from "../packages/embed/testing/browser.ts";
import { createKeyLog, createLogSigner } from "../packages/embed/testing/key-log.ts";
import { startService } from "../packages/embed/testing/service.ts";
import { describeMachine } from "./machine.ts";

const service = await startService();
const browser = await launchTestBrowser();
const site = await startSite(browser);
const form = `<form class="sealpost-form"><input name="message" value="hello"><button>Send</button></form>`;
const withoutNative = (page: Page) =>
  page.addInitScript(() => Object.defineProperty(SubtleCrypto, "supports", { value: undefined }));

async function pinLog(hybrid: boolean): Promise<string> {
  const log = createKeyLog(service.formId, await createLogSigner());
  const pin = await log.add({
    version: 3,
    fingerprint: await fingerprint(service.keyPair.publicKey),
    hybridFingerprint: hybrid ? await hybridFingerprint(service.hybridPair.publicKey) : null,
  });
  service.keyLogAnswer = (from) => ({ body: log.page(from) });
  return pin;
}

const cases = [
  { name: "RSA key", hybrid: false, log: false, style: false },
  { name: "RSA key, `sealpost.css`", hybrid: false, log: false, style: true },
  { name: "RSA key, key log", hybrid: false, log: true, style: false },
  { name: "hybrid key, native ML-KEM", hybrid: true, log: false, style: false },
  { name: "hybrid key, no native ML-KEM", hybrid: true, log: false, style: false, prepare: withoutNative },
  { name: "hybrid key, no native ML-KEM, key log", hybrid: true, log: true, style: false, prepare: withoutNative },
] as const;

process.stdout.write(`${describeMachine()}\n\n| page | loads, bytes each | sum |\n|---|---|---|\n`);
for (const one of cases) {
  await site.reset();
  service.reset({ hybrid: one.hybrid });
  const code = one.log ? keyLogCode(service, { keyLog: await pinLog(one.hybrid) }) : embedCode(service);
  const answers: Promise<readonly [string, number]>[] = [];
  const page = await site.open((one.style ? styleTag(service) : "") + form + code, {}, async (opened) => {
    opened.on("response", (response) => {
      if (response.url().startsWith(service.url) && response.request().method() === "GET")
        answers.push(measure(response));
    });
    if ("prepare" in one) await one.prepare(opened);
  });
  await page.click("button");
  await untilState(page, "sent");
  // Once each: the service lets the public key be kept for a minute, and says of a key log that it is unchanged.
  const loaded = [...new Map(await Promise.all(answers))];
  const sum = loaded.reduce((bytes, [, more]) => bytes + more, 0);
  process.stdout.write(`| ${one.name} | ${loaded.map((parts) => parts.join(" ")).join(", ")} | ${sum} |\n`);
}
await site.close();
await browser.close();
await service.close();

async function measure(response: Response): Promise<readonly [string, number]> {
  const name = new URL(response.url()).pathname.split("/").at(-1) ?? "";
  const { length } = gzipSync(await response.body(), { level: 9 });
  return [name.replace(/-\d+\.\d+\.\d+-[0-9a-f]+/, ""), length];
}

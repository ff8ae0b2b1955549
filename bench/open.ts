/**
 * `npm run bench -- open`: submissions of 2 KB opened per second by the receiver library, by the command line and by the
 * dashboard in Chromium, all from the same service, next to the bare RSA-OAEP decryptions that WebCrypto makes of the same
 * keys on the same cores; rounds alternate. The command line and the dashboard also fetch what they open; of the command
 * line, the time that it takes on an empty form is given as well. With `--hybrid` the submissions are sealed to a hybrid key
 * (`sp2`), next to its bare decapsulations.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import {
  createClient,
  createKeyFile,
  generateHybridKeyPair,
  generateKeyPair,
  type HybridPublicKey,
  openSubmission,
  parseOpeningKey,
  type SubmissionToOpen,
} from "@sealpost/sdk";
import {
  type Binding,
  createId,
  decodeBase64,
  decodeBase64Url,
  type FormId,
  findNativeKem,
  type Payload,
  seal,
  sealHybrid,
} from "@sealpost/wire";
import type { Page } from "playwright-core";
import { launchBrowser } from "../tests/support/chromium.ts";
import { startServiceProcess } from "../tests/support/service-process.ts";
import { signUpForToken } from "../tests/support/sign-up.ts";
import { medianRatio, runAlternating } from "./alternating.ts";
import { decapsulateCode, decryptCode, decryptInWorkers } from "./bare-decryptions.ts";
import { describeMachine, median } from "./machine.ts";
import { createEnvironment } from "./processes.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    count: { type: "string", default: "4000" },
    hybrid: { type: "boolean", default: false },
  },
});
const [rounds, count] = [Number(options.rounds), Number(options.count)];
/** As many at once as the command line opens. */
const concurrency = availableParallelism() * 2;
const encapsulatedBytes = 1120;
const commandLine = join(import.meta.dirname, "../packages/cli/src/main.ts");
const folder = mkdtempSync(join(tmpdir(), "sealpost-open-"));
const keyPath = join(folder, "key.json");
const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
const print = (line: string) => void process.stdout.write(`${line}\n`);

try {
  const service = await startServiceProcess(createEnvironment(join(folder, "data")));
  closers.push(() => service.kill());
  const token = await signUpForToken(service);
  const client = createClient({ baseUrl: service.url, token });
  const { publicKey, privateKey } = await generateKeyPair();
  const hybrid = options.hybrid ? await generateHybridKeyPair() : undefined;
  const hybridPublicKey: HybridPublicKey | undefined = hybrid?.publicKey;
  const form = await client.forms.create({ name: "Contact", publicKey, ...(hybridPublicKey && { hybridPublicKey }) });
  const empty = await client.forms.create({ name: "Empty", publicKey });
  const about = { formId: form.id, formName: form.name, keyVersion: 1, createdAt: 1 };
  const hybridPrivateKey = hybrid?.privateKey;
  const keyFile = await createKeyFile({ ...about, privateKey, ...(hybridPrivateKey && { hybridPrivateKey }) });
  writeFileSync(keyPath, JSON.stringify(keyFile));
  const fields = { name: "Ada Lovelace", email: "ada@example.com", message: "How do you do? ".repeat(128) };
  const submissions = await fill(service.url, form.id as FormId, (binding) =>
    hybridPublicKey ? sealHybrid(fields, binding, hybridPublicKey) : seal(fields, binding, publicKey),
  );
  const key = await parseOpeningKey(keyFile, "the key");
  const kem = findNativeKem();
  const wrapped = submissions.map(({ payload }) => {
    const bytes = payload.encrypted === false ? undefined : decodeBase64(payload.key);
    if (bytes === undefined) throw new Error("Not sealed");
    return hybrid ? bytes.slice(0, encapsulatedBytes) : bytes;
  });
  const page = await signIn(service.url);
  // The service's own pages allow no worker made from a text.
  const plainPage = await page.context().browser()?.newPage({ bypassCSP: true });
  if (plainPage === undefined) throw new Error("The browser is gone");
  await plainPage.goto(service.url);

  const exportAll = async (formId: string, expected: number): Promise<number> => {
    const started = performance.now();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        ...["--conditions=@sealpost/source", commandLine, "submissions", "export", formId],
        ...["--key", keyPath, "--format", "ndjson"],
      ],
      { env: { ...process.env, SEALPOST_URL: service.url, SEALPOST_TOKEN: token }, maxBuffer: 2 ** 30 },
    );
    const took = performance.now() - started;
    const opened = stdout.split("\n").filter((line) => line.includes('"status":"opened"')).length;
    if (opened !== expected) throw new Error(`The command line opened ${opened} of ${expected}`);
    return took;
  };
  const algorithm = hybrid ? "MLKEM768-X25519" : "RSA-OAEP";
  const raw = `bare ${algorithm}, WebCrypto in Node`;
  const figures = await runAlternating(rounds, [
    {
      name: raw,
      measure: () =>
        each(wrapped, async (bytes) => {
          if (key.hybrid && kem) await kem.decapsulate(key.hybrid.decapsulationKey, bytes);
          else await crypto.subtle.decrypt("RSA-OAEP", key.cryptoKey, bytes);
        }),
    },
    {
      name: "receiver, openSubmission",
      measure: () =>
        each(submissions, async (submission) => {
          const { opened } = await openSubmission(form.id, submission, [key]);
          if (!opened) throw new Error("The receiver opened nothing");
        }),
    },
    { name: "command line, export", measure: () => exportAll(form.id, count) },
    { name: "command line, empty form", measure: () => exportAll(empty.id, 0) },
    {
      name: `bare ${algorithm}, WebCrypto in Chromium`,
      measure: () =>
        decryptInWorkers(
          plainPage,
          hybrid ? decapsulateCode : decryptCode,
          hybrid ? [...(decodeBase64Url(hybrid.privateKey.priv) ?? [])] : { ...privateKey },
          wrapped,
        ),
    },
    { name: "dashboard in Chromium", measure: () => openInDashboard(page, form.id) },
  ]);
  print(`${describeMachine()}, Chromium ${page.context().browser()?.version()}`);
  print(
    `${count} submissions of 2 KB, ${hybrid ? "sp2, MLKEM768-X25519" : "RSA-3072"}, ${concurrency} at once in Node; medians of ${rounds} alternating rounds\n`,
  );
  print("| | seconds | opened/s | of bare |\n|---|---|---|---|");
  const bare = figures.get(raw);
  for (const [name, times] of figures) {
    const opened = name.endsWith("empty form")
      ? "| |"
      : `${median(times.map((time) => (count * 1000) / time)).toFixed(0)} | ${(1 / medianRatio(times, bare)).toFixed(2)} |`;
    print(`| ${name} | ${(median(times) / 1000).toFixed(2)} | ${opened}`);
  }
  const [whole = [], start = []] = [figures.get("command line, export"), figures.get("command line, empty form")];
  const opening = whole.map((time, round) => time - (start[round] ?? Number.NaN));
  print(
    `\nWithout its start the command line opens ${median(opening.map((time) => (count * 1000) / time)).toFixed(0)}/s, ${(1 / medianRatio(opening, bare)).toFixed(2)} of bare.`,
  );
} finally {
  for (const close of closers.toReversed()) await close();
}

/** Submissions as visitors' browsers seal them: 2 KB of answers each. */
async function fill(
  url: string,
  formId: FormId,
  sealFor: (binding: Binding) => Promise<Payload>,
): Promise<readonly SubmissionToOpen[]> {
  const submissions: SubmissionToOpen[] = [];
  await each(Array.from({ length: count }), async () => {
    const id = createId("submission");
    const payload = await sealFor({ formId, keyVersion: 1, submissionId: id });
    const answer = await fetch(`${url}/api/forms/${formId}/submissions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id, keyVersion: 1, payload }),
    });
    await answer.arrayBuffer();
    if (answer.status !== 201) throw new Error(`A submission was answered with ${answer.status}`);
    submissions.push({ id, keyVersion: 1, payload });
  });
  return submissions;
}

/** Does all of them, several at once; gives the milliseconds. */
async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<number> {
  const started = performance.now();
  const left = items.values();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (const item of left) await work(item);
    }),
  );
  return performance.now() - started;
}

async function signIn(url: string): Promise<Page> {
  const browser = await launchBrowser();
  closers.push(() => browser.close());
  const context = await browser.newContext({ baseURL: url });
  const page = await context.newPage();
  await page.goto("/sign-in");
  await page.getByLabel("Email address").fill("owner@example.com");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Forms" }).waitFor();
  return page;
}

/** From the choice of the key file until the page says nothing of opening any more. */
async function openInDashboard(page: Page, formId: string): Promise<number> {
  await page.goto(`/forms/${formId}`);
  await page.getByText("These submissions are sealed").waitFor();
  const started = performance.now();
  await page.setInputFiles("input[type=file]", keyPath);
  await page.getByText("ada@example.com").first().waitFor();
  await page.getByText("Opening").waitFor({ state: "detached", timeout: 600_000 });
  const took = performance.now() - started;
  await page.getByText(`${count.toLocaleString("en")} submissions`, { exact: true }).waitFor();
  return took;
}

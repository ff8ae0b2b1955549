import { isDeepStrictEqual } from "node:util";
import { type Client, generateKeyPair, type KeyPair, openSubmission } from "@sealpost/sdk";
import type { FieldValue } from "@sealpost/wire";
import { importOpeningKey } from "@sealpost/wire/open";
import { startSite } from "../../packages/embed/testing/browser.ts";
import { createAccount, type Dashboard, startDashboard } from "../../tests/dashboard/dashboard.ts";
import { naughtyStrings as strings } from "../../tests/what-visitors-type/naughty-strings.ts";
import type { Report } from "./report.ts";

const fieldsMax = 60;
const formsShown = 50;

/**
 * The Big List of Naughty Strings, typed as values and given as field names in a real browser, sealed and not sealed, through
 * the service and its database, out of the export, and into the dashboard. Everything has to come out byte for byte and to
 * stay text: no dialog, no complaint of the page's policy, no request to elsewhere.
 */
export async function checkNaughtyStrings(): Promise<Report> {
  const findings: string[] = [];
  const dashboard = await startDashboard();
  try {
    const client = await createAccount(dashboard.service);
    const pair = await generateKeyPair();
    for (const encryption of [true, false]) {
      const what = encryption ? "sealed" : "not sealed";
      const form = await client.forms.create({
        name: what,
        publicKey: pair.publicKey,
        settings: { encryption },
      });
      const sent = await sendAll(dashboard, client, form.id);
      findings.push(
        ...(await compareExport(client, form.id, encryption ? [pair] : [], sent)).map(
          (finding) => `${what}: ${finding}`,
        ),
      );
      findings.push(...(await readInDashboard(dashboard, form.id, pair, sent)).map((finding) => `${what}: ${finding}`));
    }
    findings.push(...(await compareFormNames(dashboard, client, pair)));
    findings.push(...dashboard.complaints.map((complaint) => `the dashboard's page: ${complaint}`));
  } finally {
    await dashboard.close();
  }
  return { summary: `${strings.length} strings as values, field names and form names`, findings };
}

type Sent = ReadonlyMap<string, Record<string, FieldValue>>;

/** Fills and sends a page's form until all strings were sent. What was sent, by submission id. */
async function sendAll(dashboard: Dashboard, client: Client, formId: string): Promise<Sent> {
  const { embedCode } = await client.forms.get(formId);
  const site = await startSite(dashboard.browser);
  const sent = new Map<string, Record<string, FieldValue>>();
  try {
    const snippet = embedCode.replace("Sealpost.init", "window.handle = Sealpost.init");
    const page = await site.open(`<form></form>${snippet}`);
    for (let start = 0; start < strings.length; start += fieldsMax) {
      const inputs = strings
        .slice(start, start + fieldsMax)
        .flatMap((text, index): [string, string][] => [
          [`value ${start + index}`, text],
          ...(isFieldName(text) ? [[text, `name ${start + index}`] as [string, string]] : []),
        ]);
      const outcome = await page.evaluate(async (fields) => {
        const form = document.forms[0];
        form?.replaceChildren(
          ...fields.map(([name, value]) => {
            const input = document.createElement("textarea");
            input.name = name;
            input.value = value;
            return input;
          }),
        );
        // The snippet put the handle there.
        return (window as unknown as { handle: { submit(): Promise<{ submissionId?: string }> } }).handle.submit();
      }, inputs);
      if (outcome.submissionId === undefined) throw new Error(`Not sent: ${JSON.stringify(outcome)}`);
      sent.set(outcome.submissionId, Object.fromEntries(inputs));
      await page.reload();
    }
    return sent;
  } finally {
    await site.close();
  }
}

/** Names that begin with `_` are the page's own control fields, and `[]` at the end means a list: by documented rule neither is a name. */
function isFieldName(text: string): boolean {
  return text !== "" && !text.startsWith("_") && !text.endsWith("[]");
}

async function compareExport(
  client: Client,
  formId: string,
  pairs: readonly KeyPair[],
  sent: Sent,
): Promise<readonly string[]> {
  const findings: string[] = [];
  const keys = await Promise.all(pairs.map(({ privateKey }) => importOpeningKey(privateKey)));
  let count = 0;
  for await (const submission of client.submissions.export(formId)) {
    count++;
    const opened = await openSubmission(formId, submission, keys);
    if (!opened.opened) findings.push(`${submission.id}: ${opened.message}`);
    else findings.push(...differences("the export", sent.get(submission.id) ?? {}, opened.fields));
  }
  if (count !== sent.size) findings.push(`${sent.size} were sent, ${count} were exported`);
  return findings;
}

/** Every submission as the dashboard shows it: its names and values as text, and its JSON as copied from it. */
async function readInDashboard(
  dashboard: Dashboard,
  formId: string,
  pair: KeyPair,
  sent: Sent,
): Promise<readonly string[]> {
  const findings: string[] = [];
  const page = await dashboard.signIn();
  try {
    await page.goto(`/forms/${formId}`);
    const locked = page.locator("input[type=file]");
    const table = page.getByRole("table");
    await locked.or(table).first().waitFor({ state: "attached" });
    if (await locked.count()) {
      const buffer = Buffer.from(JSON.stringify(pair.privateKey));
      await locked.setInputFiles({ name: "key.json", mimeType: "application/json", buffer });
    }
    await table.waitFor();
    for (const [id, fields] of sent) {
      await page.getByLabel("Search in opened submissions").fill(id);
      await page.getByText(`1 of ${sent.size} submissions`).waitFor();
      await page.getByRole("row").nth(1).getByRole("button").click();
      const detail = page.getByRole("region", { name: "Submission" });
      await detail.getByText(id).waitFor();
      const shown = await detail.evaluate((region) => {
        // A heading says the name in words; the name itself is next to it, or its title where they differ in case alone.
        const nameOf = (term: Element | null) =>
          term?.querySelector("bdi + bdi")?.textContent ?? term?.querySelector("bdi")?.getAttribute("title") ?? "";
        const pairs = [...(region.querySelector("dl")?.children ?? [])].map((row) => [
          nameOf(row.querySelector("dt")),
          row.querySelector("dd bdi")?.textContent ?? "",
        ]);
        return { pairs, elements: region.querySelectorAll("dl img, dl script, dl a, dl svg, dl iframe").length };
      });
      findings.push(...differences("the dashboard", fields, Object.fromEntries(shown.pairs)));
      if (shown.elements > 0) findings.push(`${id}: something of it became markup`);
    }
  } finally {
    await page.context().close();
  }
  return findings;
}

/** Form names: up to 100 characters, trimmed, unique whatever their case. */
async function compareFormNames(dashboard: Dashboard, client: Client, pair: KeyPair): Promise<readonly string[]> {
  const wanted = new Set<string>();
  for (const name of strings) {
    const refusal = await client.forms.create({ name, publicKey: pair.publicKey }).then(
      () => undefined,
      (error: { status?: number }) => error.status ?? 0,
    );
    if (refusal === undefined) wanted.add(name.trim());
    else if (refusal !== 400 && refusal !== 409) return [`form name ${JSON.stringify(name)}: status ${refusal}`];
  }
  const listed = new Set<string>();
  for await (const { name } of client.forms.all()) listed.add(name);
  const lost = [...wanted].filter((name) => !listed.has(name));
  const page = await dashboard.signIn();
  try {
    // The newest come first; the page shows at least so many.
    const newest = [...wanted].slice(-formsShown);
    const shown = await page.locator("main a").allTextContents();
    lost.push(...newest.filter((name) => !shown.some((text) => text.includes(name))));
  } finally {
    await page.context().close();
  }
  return lost.map((name) => `form name ${JSON.stringify(name)} did not come back`);
}

function differences(where: string, expected: object, actual: object): readonly string[] {
  const [want, have] = [new Map(Object.entries(expected)), new Map(Object.entries(actual))];
  const names = [...new Set([...want.keys(), ...have.keys()])];
  return names
    .filter((name) => !isDeepStrictEqual(want.get(name), have.get(name)))
    .map((name) => `${where}: ${JSON.stringify({ name, sent: want.get(name), came: have.get(name) })}`);
}

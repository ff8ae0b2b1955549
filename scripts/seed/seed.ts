/**
 * `npm run seed -- --submissions 1000`: fills a form with submissions that are sealed here and go through the public
 * endpoint, as a visitor's do. Into the first form of `npm run dev`, into a form of a service that runs elsewhere
 * (`--url … --form form_…`), or into a data folder that no service has open (`--data … --form form_…`).
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { loadConfig } from "../../packages/server/src/config/config-files.ts";
import type { Service } from "../../packages/server/src/service.ts";
import { systemClock } from "../../packages/server/src/time/clock.ts";
import { devFolder, readDevState } from "../dev/state.ts";
import { fillForm } from "./fill.ts";
import { loadForm, Refused } from "./submit.ts";

const usage = `npm run seed -- [--submissions 100] [--form form_…] [--url http://localhost:8080 | --data FOLDER]

  --submissions N  how many, 100 by default and 100,000 at most
  --form ID        the form that they go to; the first one of npm run dev, or the only one of --data
  --url URL        the service that runs there; that of npm run dev by default
  --data FOLDER    a data folder (SQLite) that no service has open; its secret is taken from
                   SEALPOST_SECRET or SEALPOST_SECRET_FILE, as the service does, or from the folder`;
const submissionsMax = 100_000;

class Misused extends Error {}

interface Target {
  readonly url: string;
  readonly formId: string;
  close(): Promise<void>;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  return error instanceof Misused ? 2 : 1;
});

async function main(parameters: readonly string[]): Promise<number> {
  const options = parseOptions(parameters);
  const target = options.data === undefined ? findService(options) : await openFolder(options.data, options.form);
  try {
    const form = await loadForm(target.url, target.formId);
    const began = performance.now();
    let sent = 0;
    const showProgress = (end: string) => {
      const each = Math.round(sent / ((performance.now() - began) / 1000));
      process.stderr.write(
        `${process.stderr.isTTY ? "\r" : ""}${sent} of ${options.count} submissions, ${each} a second${end}`,
      );
    };
    const onSent = (count: number) => {
      sent = count;
      if (process.stderr.isTTY) showProgress("");
    };
    const onWait = (seconds: number) =>
      console.error(
        `\nThe service takes no more from one address now (SEALPOST_SUBMIT_RATE): waiting for ${seconds} s`,
      );
    try {
      await fillForm({ url: target.url, form, count: options.count, onProgress: onSent, onWait });
    } finally {
      showProgress(`, ${form.settings.encryption ? "sealed" : "plain"}\n`);
    }
    return 0;
  } catch (error) {
    if (error instanceof TypeError && error.cause !== undefined)
      throw new Error(
        `No service answers at ${target.url}. Start one with npm run dev or npm start, or name its data folder: --data data`,
      );
    if (error instanceof Refused) throw new Error(`${error.message} (${target.formId} at ${target.url})`);
    throw error;
  } finally {
    await target.close();
  }
}

interface Options {
  readonly count: number;
  readonly form: string | undefined;
  readonly url: string | undefined;
  readonly data: string | undefined;
}

function parseOptions(parameters: readonly string[]): Options {
  try {
    const { values } = parseArgs({
      args: [...parameters],
      options: {
        submissions: { type: "string", default: "100" },
        form: { type: "string" },
        url: { type: "string" },
        data: { type: "string" },
      },
    });
    const count = Number(values.submissions);
    if (!/^[0-9]+$/.test(values.submissions) || count < 1 || count > submissionsMax)
      throw new Misused(`--submissions must be a whole number from 1 to ${submissionsMax}`);
    if (values.url !== undefined && values.data !== undefined) throw new Misused("--url or --data, not both");
    if (values.url !== undefined && !/^https?:$/.test(URL.canParse(values.url) ? new URL(values.url).protocol : ""))
      throw new Misused("--url must be the address of a service, such as http://localhost:8080");
    return { count, form: values.form, url: values.url?.replace(/\/+$/, ""), data: values.data };
  } catch (error) {
    throw new Misused(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

/** The service that runs at `url`, or that of `npm run dev`. */
function findService({ url, form }: Options): Target {
  const state = readDevState(devFolder);
  const formId = form ?? (url === undefined ? state?.forms[0]?.id : undefined);
  if (formId === undefined)
    throw new Misused(`Which form? Name one with --form, or start npm run dev, which makes some.\n\n${usage}`);
  return { url: url ?? state?.url ?? "http://localhost:8080", formId, close: async () => {} };
}

/**
 * A service of our own on the folder, without the limits that are there for strangers. Of the settings only the secret counts:
 * with all of them, it could send emails, or serve another database.
 */
async function openFolder(folder: string, wanted: string | undefined): Promise<Target> {
  if (!existsSync(folder)) throw new Misused(`There is no folder ${folder}`);
  const { startService } = await import("../../packages/server/src/service.ts");
  const config = loadConfig({
    SEALPOST_SECRET: process.env.SEALPOST_SECRET,
    SEALPOST_SECRET_FILE: process.env.SEALPOST_SECRET_FILE,
    SEALPOST_DATA: folder,
    SEALPOST_PORT: "0",
    SEALPOST_SUBMIT_RATE: "0",
    SEALPOST_LOG_LEVEL: "error",
  });
  const service = await startService({ config, clock: systemClock });
  try {
    return { url: service.url, formId: wanted ?? (await onlyForm(service)), close: () => service.stop() };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function onlyForm({ database }: Service): Promise<string> {
  const forms = await database.selectFrom("form").select(["id", "name"]).limit(20).execute();
  const [form] = forms;
  if (form === undefined) throw new Misused("The folder has no form: make one in the dashboard, or use npm run dev");
  if (forms.length > 1)
    throw new Misused(
      `Which form? Name one with --form:\n${forms.map(({ id, name }) => `  ${id}  ${name}`).join("\n")}`,
    );
  return form.id;
}

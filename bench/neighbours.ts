/**
 * `npm run bench -- neighbours`: what one receiver that hangs, with 100,000 deliveries due, costs the first attempts to
 * another. The same events at the same rate, first alone and then alongside it, rounds alternating; the time from the commit
 * to the stored 2xx. The receivers run in a process of their own.
 */
import { parseArgs } from "node:util";
import type { FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { createDeliverySetup, type DeliverySetup, percentile, sendAtRate } from "./delivery-setup.ts";
import { describeMachine, median } from "./machine.ts";

const { values: options } = parseArgs({
  options: {
    due: { type: "string", default: "100000" },
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "5" },
    rounds: { type: "string", default: "5" },
  },
});
const due = Number(options.due);
const batch = 5000;
/** After every lease: nothing of it is due. */
const never = 4_000_000_000_000;

const setup = await createDeliverySetup(["--hosts", "1", "--hanging", "1"]);
try {
  const [hangingForm] = await setup.createForms(setup.receivers.hangingUrls);
  const [goodForm] = await setup.createForms(setup.receivers.urls);
  if (hangingForm === undefined || goodForm === undefined) throw new Error("No forms");
  await fill(setup, hangingForm);
  const { rate, seconds, rounds } = options;
  const line = (text: string) => void process.stdout.write(`${text}\n`);
  line(`${describeMachine()}, SQLite`);
  line(
    `${due} deliveries due to a host that hangs; first attempts to another, ${rate} a second, rounds of ${seconds} s\n`,
  );
  line("| round | alone, p50 ms | p99 ms | alongside it, p50 ms | p99 ms |\n|---|---|---|---|---|");
  const p99s: { readonly alone: number; readonly alongside: number }[] = [];
  for (let round = 0; round <= Number(rounds); round++) {
    await park(setup, hangingForm, never);
    const alone = await sendAtRate(setup, [goodForm], Number(rate), Number(seconds));
    await park(setup, hangingForm, Date.now());
    const alongside = await sendAtRate(setup, [goodForm], Number(rate), Number(seconds));
    // The first round warms up.
    if (round === 0) continue;
    const [a50, a99, b50, b99] = [
      percentile(alone, 0.5),
      percentile(alone, 0.99),
      percentile(alongside, 0.5),
      percentile(alongside, 0.99),
    ];
    p99s.push({ alone: a99, alongside: b99 });
    line(`| ${round} | ${a50.toFixed(1)} | ${a99.toFixed(1)} | ${b50.toFixed(1)} | ${b99.toFixed(1)} |`);
  }
  const [alone, alongside] = [median(p99s.map((each) => each.alone)), median(p99s.map((each) => each.alongside))];
  const ratio = median(p99s.map((each) => each.alongside / each.alone));
  line(
    `\nMedian p99: ${alone.toFixed(1)} ms alone, ${alongside.toFixed(1)} ms alongside it, ratio ${ratio.toFixed(2)}`,
  );
} finally {
  await setup.close();
}

async function fill({ bench }: DeliverySetup, formId: FormId): Promise<void> {
  for (let done = 0; done < due; done += batch)
    await bench.database
      .transaction()
      .execute((transaction) => bench.recordMany(formId, Math.min(batch, due - done), transaction));
}

/** Makes all of the form's deliveries due at this time but for those that are under way. */
async function park({ bench }: DeliverySetup, formId: FormId, dueAt: number): Promise<void> {
  await sql`update delivery_queue set due_at = ${dueAt} where form_id = ${formId} and claim_token is null`.execute(
    bench.database,
  );
}

import { createReceiver, generateKeyPair, openSubmission, parseOpeningKey } from "@sealpost/sdk";
import { createId, createWebhookSecret, type Fields, seal } from "@sealpost/wire";
import { printableCells } from "../../packages/cli/src/printable.ts";
import { formatRows } from "../../packages/cli/src/row-formats.ts";
import { formatJson } from "../../packages/cli/src/table.ts";
import { toCsv, toFile, toJson } from "../../packages/dashboard/src/submissions/export-rows.ts";
import { parseEvent } from "../../packages/sdk/src/event.ts";
import { form, now, secret, sign } from "../../packages/sdk/src/testing/delivery.ts";

/** Strangers' data in the owner's own programs. */
export interface HostileWork {
  readonly name: string;
  readonly bytes: number;
  /** For how long at a time nothing else may be done meanwhile. A command serves nobody else, and may take longer. */
  readonly aim: number;
  readonly run: () => unknown;
}

const most = 1_048_576;
const receiverAim = 50;
const commandAim = 1_000;
const fieldsOf = (count: number, prefix: string): Fields =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, "v"]));

export async function hostileWork(): Promise<readonly HostileWork[]> {
  return [...(await receiving()), ...(await opening()), ...commands(), ...exporting()];
}

async function receiving(): Promise<readonly HostileWork[]> {
  const receiver = await createReceiver({
    secrets: { [form.id]: [createWebhookSecret(), secret] },
    privateKeys: [],
    now: () => now,
  });
  const receive = (name: string, headers: Readonly<Record<string, string>>, body: string): HostileWork => ({
    ...{ name: `receiver: ${name}`, bytes: body.length, aim: receiverAim },
    run: () => receiver.receive({ headers, body }),
  });
  const { headers } = await sign("");
  const signature = `v1,${"A".repeat(43)}=`;
  const manyHeaders = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`x-${index}`, "y"]));
  const event = (fields: string) =>
    `{"event":"submission.created","timestamp":1,"form":{"id":"${form.id}","name":"a"},"submission":{"id":"a","timestamp":1,"receivedAt":1,"payload":{"encrypted":false,"version":"plain1","fields":${fields}}}}`;
  const names = event(JSON.stringify(fieldsOf(60_000, "f")));
  const parse = (name: string, body: Uint8Array): HostileWork => ({
    ...{ name: `receiver, event of a lying server: ${name}`, bytes: body.length, aim: receiverAim },
    run: () => parseEvent(body),
  });
  return [
    receive(
      "1 MiB, 32 wrong signatures, two secrets",
      { ...headers, "webhook-signature": Array(32).fill(signature).join(" ") },
      "x".repeat(most),
    ),
    receive("16 KB of signatures", { ...headers, "webhook-signature": "v1, ".repeat(4_000) }, "x"),
    receive("2,000 headers", { ...manyHeaders, ...headers }, "x"),
    parse("60,000 names", Buffer.from(names)),
    parse("brackets", Buffer.from("[".repeat(most))),
  ];
}

async function opening(): Promise<readonly HostileWork[]> {
  const { publicKey, privateKey } = await generateKeyPair();
  const keys = [await parseOpeningKey(privateKey, "the key")];
  const formId = createId("form");
  const deep: Fields = JSON.parse(`${'{"a":'.repeat(60)}1${"}".repeat(60)}`);
  const open = async (name: string, fields: Fields): Promise<HostileWork> => {
    const id = createId("submission");
    const payload = await seal(fields, { formId, submissionId: id, keyVersion: 1 }, publicKey);
    const work = { name: `receiver, opening: ${name}`, bytes: payload.data.length, aim: receiverAim };
    return { ...work, run: () => openSubmission(formId, { id, payload, keyVersion: 1 }, keys) };
  };
  return [
    await open("60,000 names", fieldsOf(60_000, "f")),
    await open("60 levels, 1,500 times", Object.fromEntries(Array.from({ length: 1_500 }, (_, i) => [`f${i}`, deep]))),
    await open("one text", { text: "x".repeat(700_000) }),
  ];
}

function commands(): readonly HostileWork[] {
  const rowOf = (fields: Fields, index: number) => ({
    ...{ id: `sub_${index}`, receivedAt: 0, timestamp: 0, keyVersion: 1, status: "opened" as const, fields },
  });
  const csv = (name: string, rows: readonly ReturnType<typeof rowOf>[]): HostileWork => ({
    ...{ name: `command line, CSV: ${name}`, bytes: JSON.stringify(rows).length, aim: commandAim },
    async run() {
      const each = (async function* () {
        yield* rows;
      })();
      for await (const _ of formatRows(each, "csv", { isTerminal: true }));
    },
  });
  const acting = "\u001b\u202e\u2028".repeat(most / 8);
  return [
    csv("one of 60,000 names", [rowOf(fieldsOf(60_000, "f"), 0)]),
    csv("one text of marks and signs", [rowOf({ text: ",\t-a(".repeat(most / 5) }, 0)]),
    csv(
      "10,000 rows, each with 6 names of its own",
      Array.from({ length: 10_000 }, (_, index) => rowOf(fieldsOf(6, `r${index}-`), index)),
    ),
    {
      ...{ name: "command line, terminal: control characters", bytes: Buffer.byteLength(acting), aim: commandAim },
      run: () => printableCells(acting),
    },
    {
      ...{ name: "command line, JSON: control characters", bytes: Buffer.byteLength(acting), aim: commandAim },
      run: () => formatJson({ acting }),
    },
  ];
}

/** The dashboard's export runs in the page; its code is the same here. */
function exporting(): readonly HostileWork[] {
  const rows = Array.from({ length: 100_000 }, (_, index) => ({
    ...{ id: `sub_${index}`, receivedAt: 0, timestamp: 0, keyVersion: 1 },
    opened: { opened: true, sealed: true, fields: { name: "Ada", message: "word ".repeat(30) } } as const,
  }));
  return [
    { name: "dashboard, CSV of 100,000 rows", bytes: 20_000_000, aim: 100, run: () => toFile(toCsv(rows, "comma")) },
    { name: "dashboard, JSON of 100,000 rows", bytes: 33_000_000, aim: 100, run: () => toFile(toJson(rows)) },
  ];
}

/**
 * `npm run bench -- forms`: what a request costs when an account has 10,000 forms instead of 10, and a form a million
 * submissions instead of a thousand. Rounds alternate between the two, so that other load of the machine meets both.
 */
import { randomBytes } from "node:crypto";
import { Agent, get } from "node:http";
import { performance } from "node:perf_hooks";
import { type AccountId, createId, type FormId } from "@sealpost/wire";
import { createSingleRing } from "../packages/server/src/instance/key-ring.ts";
import { createSecretBox } from "../packages/server/src/instance/secret-box.ts";
import { insertSubmissions } from "../packages/server/src/testing/insert-submissions.ts";
import { createTestService, type TestAccount } from "../packages/server/src/testing/test-service.ts";
import { compareRequests } from "./compare-requests.ts";
import { describeMachine, median } from "./machine.ts";
import { createManyForms } from "./many-forms.ts";

const dayMilliseconds = 86_400_000;
const closers: (() => unknown)[] = [];
const service = await createTestService({ after: (close: () => unknown) => closers.push(close) } as never); // all that it uses of a test
const agent = new Agent({ keepAlive: true });
const secretBox = createSecretBox(createSingleRing(randomBytes(32)));
const now = Date.now();

const few = await service.signUp();
const many = await service.signUp();
const publicKey = {
  kty: "RSA" as const,
  n: Buffer.alloc(384, 0xff).toString("base64url"),
  e: "AQAB",
};
await createForms(few, 10);
await createForms(many, 10_000);
const [smallForm] = await createForms(few, 1);
const [largeForm] = await createForms(few, 1);
if (smallForm === undefined || largeForm === undefined) throw new Error("No forms");
await receive(smallForm, 1000);
const filling = performance.now();
await receive(largeForm, 1_000_000);
print(`1,000,000 submissions written in ${seconds(performance.now() - filling)}`);

print(describeMachine());
print("");
const { compare, time, close } = compareRequests(service, 200);
const [lastOfFew, lastOfMany] = [await findLastPage(few, 3), await findLastPage(many, 1000)];
await compare("GET /api/forms?limit=10, first page", "10 forms", [few, "/api/forms?limit=10"], "10,000 forms", [
  many,
  "/api/forms?limit=10",
]);
await compare("the same, last page", "10 forms", [few, lastOfFew], "10,000 forms", [many, lastOfMany]);
await compare("GET /api/forms/{form_id}", "10 forms", [few, `/api/forms/${smallForm}`], "10,000 forms", [
  many,
  `/api/forms/${(await idsOf(many))[5]}`,
]);
const thousand = "1,000 submissions";
const million = "1,000,000 submissions";
for (const [name, path] of [
  ["GET …/stats?period=year", "/stats?period=year"],
  ["GET …/stats?period=day", "/stats?period=day"],
  ["GET …/submissions?limit=10", "/submissions?limit=10"],
] as const)
  await compare(name, thousand, [few, `/api/forms/${smallForm}${path}`], million, [
    few,
    `/api/forms/${largeForm}${path}`,
  ]);

print("");
await measureExport();
const deleting = performance.now();
await few.request("DELETE", `/api/forms/${largeForm}/submissions?confirm=DELETE_SUBMISSIONS`);
print(
  `Bulk delete of 1,000,000 submissions: answered, and gone from every answer, after ${seconds(performance.now() - deleting)}.`,
);
const purging = performance.now();
const meanwhile: number[] = [];
while ((await service.database.selectFrom("submission_purge").select("form_id").execute()).length > 0)
  meanwhile.push(await time([few, `/api/forms/${smallForm}`]));
const late = meanwhile.toSorted((a, b) => a - b)[Math.floor(meanwhile.length * 0.99)] ?? Number.NaN;
print(
  `Their rows were purged ${seconds(performance.now() - purging)} later; of ${meanwhile.length} requests meanwhile, one after the other, the median took ${median(meanwhile).toFixed(1)} ms and 99 % at most ${late.toFixed(0)} ms.`,
);

close();
agent.destroy();
for (const close of closers.reverse()) await close();

function createForms(account: TestAccount, count: number): Promise<readonly FormId[]> {
  const accountId = account.id as AccountId; // the answer of the sign-up
  return createManyForms(service.database, secretBox, { accountId, publicKey, count });
}

/** Spread over the days of a year; about 1.1 kB each, like a short sealed submission. */
async function receive(formId: FormId, count: number): Promise<void> {
  const payload = {
    version: "sp1" as const,
    data: new Uint8Array(1040),
    key: new Uint8Array(384),
    iv: new Uint8Array(12),
  };
  const batch = 2000;
  for (let start = 0; start < count; start += batch) {
    const rows = Array.from({ length: Math.min(batch, count - start) }, (_, index) => {
      const receivedAt = now - 364 * dayMilliseconds + Math.floor(((start + index) / count) * 364 * dayMilliseconds);
      return {
        formId,
        id: createId("submission", receivedAt),
        keyVersion: 1,
        payload,
        timestamp: receivedAt,
        receivedAt,
      };
    });
    await insertSubmissions(service.database, rows);
  }
}

async function idsOf(account: TestAccount): Promise<string[]> {
  const { body } = await account.request("GET", "/api/forms?limit=10");
  return body.forms.map(({ id }: { id: string }) => id);
}

/** The path of the page that `pages` of ten forms come before, walked to like a client does. */
async function findLastPage(account: TestAccount, pages: number): Promise<string> {
  let path = "/api/forms?limit=10";
  for (let page = 1; page < pages; page++) {
    const { nextCursor } = (await account.request("GET", path)).body;
    if (nextCursor === null) break;
    path = `/api/forms?limit=10&cursor=${nextCursor}`;
  }
  return path;
}

async function measureExport(): Promise<void> {
  const before = process.memoryUsage().rss;
  let peak = before;
  let bytes = 0;
  let lines = 0;
  const started = performance.now();
  const url = `${service.url}/api/forms/${largeForm}/submissions/export`;
  await new Promise<void>((resolve, reject) => {
    get(url, { agent, headers: { authorization: `Bearer ${few.token}` } }, (response) => {
      response
        .on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
          peak = Math.max(peak, process.memoryUsage.rss());
        })
        .on("end", resolve)
        .on("error", reject);
    }).on("error", reject);
  });
  const took = performance.now() - started;
  print(
    `Export of ${lines.toLocaleString("en")} submissions, ${megabytes(bytes)} of NDJSON, in ${seconds(took)}; the process (service and client in one) grew from ${megabytes(before)} to at most ${megabytes(peak)}.`,
  );
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

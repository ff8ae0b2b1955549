/**
 * `npm run bench -- NAME`: one of the benchmarks, with its options after the name; without a name, their list. What they
 * found is in bench/RESULTS.md.
 */
import { findPart, listParts, type Part, runPart } from "./run-part.ts";

export const benchmarks: readonly Part[] = [
  {
    name: "ingest",
    file: "bench/ingest.ts",
    what: "sealed submissions accepted per second, on both databases",
    needsBuild: true,
  },
  {
    name: "deliveries",
    file: "bench/deliveries.ts",
    what: "deliveries per second over HTTPS, and the time to the stored 2xx",
    needsBuild: true,
  },
  {
    name: "neighbours",
    file: "bench/neighbours.ts",
    what: "what a receiver that hangs costs the deliveries to another",
    needsBuild: true,
  },
  {
    name: "growth",
    file: "bench/growth.ts",
    what: "what requests cost with up to a million submissions",
    needsBuild: true,
  },
  { name: "forms", file: "bench/forms.ts", what: "what requests cost with 10,000 forms", needsBuild: false },
  {
    name: "organizations",
    file: "bench/organizations.ts",
    what: "what lists cost with 50 members and 200 forms",
    needsBuild: false,
  },
  {
    name: "instance",
    file: "bench/instance.ts",
    what: "what the lists of the instance page cost with 10,000 accounts",
    needsBuild: false,
  },
  {
    name: "peers",
    file: "bench/peers.ts",
    what: "the same as ingest, next to PocketBase; needs Go",
    needsBuild: true,
  },
  { name: "sizes", file: "bench/sizes.ts", what: "bytes of a stored submission on the disk", needsBuild: false },
  { name: "page-load", file: "bench/page-load.ts", what: "what a page with a form loads", needsBuild: true },
  { name: "start", file: "bench/start.ts", what: "time to start, and memory", needsBuild: true },
  { name: "seal", file: "bench/seal.ts", what: "what sealing adds to a submission in Chromium", needsBuild: false },
  {
    name: "envelope",
    file: "bench/envelope.ts",
    what: "an envelope of 50 readers: made, opened, its list checked; in Node and Chromium",
    needsBuild: false,
  },
  {
    name: "lists",
    file: "bench/lists.ts",
    what: "a list of 3,000 entries verified whole, continued and kept, next to bare Ed25519",
    needsBuild: false,
  },
  {
    name: "sweep",
    file: "bench/sweep.ts",
    what: "a reader is added to 200 forms and taken out again; stopped and continued",
    needsBuild: false,
  },
  {
    name: "open",
    file: "bench/open.ts",
    what: "submissions opened per second: library, command line, dashboard",
    needsBuild: true,
  },
  {
    name: "opener",
    file: "bench/opener.ts",
    what: "10,000 submissions opened per second by the opener, from the disk",
    needsBuild: true,
  },
  {
    name: "unlock",
    file: "bench/unlock.ts",
    what: "from unlocking the personal key to the first opened row: passkey, words, sheet, another tab",
    needsBuild: true,
  },
  {
    name: "open-envelope",
    file: "bench/open-envelope.ts",
    what: "10,000 submissions of a form with an envelope opened by the dashboard",
    needsBuild: true,
  },
  { name: "inbox", file: "bench/inbox.ts", what: "the dashboard with 100,000 submissions", needsBuild: true },
  { name: "pii", file: "bench/pii.ts", what: "what PII stripping finds and misses in our corpus", needsBuild: false },
  {
    name: "pii-others",
    file: "bench/pii-others.ts",
    what: "the same in texts of others: a FOLDER with their repositories",
    needsBuild: true,
  },
  {
    name: "worst-cases",
    file: "bench/worst-cases.ts",
    what: "how long hostile input blocks the service and the pages",
    needsBuild: true,
  },
];

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

async function main([name, ...parameters]: readonly string[]): Promise<number> {
  if (name === undefined) {
    console.log(listParts("bench", benchmarks));
    return 0;
  }
  const benchmark = findPart("bench", benchmarks, name);
  return benchmark === undefined ? 2 : runPart(benchmark, parameters);
}

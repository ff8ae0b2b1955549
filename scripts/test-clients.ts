/**
 * `npm run test:clients`: the client packages of other languages against the test vectors and a real service. Each language gets a
 * form of its own, which has received sealed submissions, and a webhook that was really sent; it reads them from the environment
 * (live-service.ts). A language that is not installed is skipped, and that is said. `-- python` runs this one alone.
 */
import { age } from "./test-clients/age.ts";
import { go } from "./test-clients/go.ts";
import { type Language, LanguageAbsentError } from "./test-clients/language.ts";
import { startLiveService } from "./test-clients/live-service.ts";
import { php } from "./test-clients/php.ts";
import { python } from "./test-clients/python.ts";
import { rust } from "./test-clients/rust.ts";

const languages: readonly Language[] = [python, go, php, rust, age];

const wished = process.argv.slice(2);
const unknown = wished.filter((wish) => !languages.some(({ name }) => name.toLowerCase() === wish));
if (unknown.length > 0) {
  console.error(
    `There is no client for ${unknown.join(", ")}: ${languages.map(({ name }) => name.toLowerCase()).join(", ")}`,
  );
  process.exit(2);
}

const service = await startLiveService();
const outcomes: string[] = [];
try {
  for (const language of languages) {
    if (wished.length > 0 && !wished.includes(language.name.toLowerCase())) continue;
    outcomes.push(await test(language));
  }
} finally {
  await service.stop();
}
console.log(`\n${outcomes.join("\n")}`);

async function test({ name, run }: Language): Promise<string> {
  try {
    await run(() => service.prepareForm(`Client for ${name}`));
    return `${name}: passed`;
  } catch (error) {
    if (error instanceof LanguageAbsentError) return `${name}: skipped: ${error.message}`;
    process.exitCode = 1;
    return `${name}: FAILED: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** `node:test` inside a page: collects what the bundled files declare, and runs it one by one when asked. */

interface DeclaredTest {
  readonly title: string;
  readonly run: () => unknown;
}

const declared: DeclaredTest[] = [];

export function test(title: string, run: () => unknown): void {
  declared.push({ title, run });
}

export async function runTests(): Promise<{ title: string; failure?: string }[]> {
  const results: { title: string; failure?: string }[] = [];
  for (const { title, run } of declared) {
    try {
      await run();
      results.push({ title });
    } catch (error) {
      results.push({ title, failure: describe(error) });
    }
  }
  return results;
}

/** The stack of Chromium begins with the message; that of Firefox and WebKit goes without. */
function describe(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  return stack.includes(String(error)) ? stack : `${error}\n${stack}`;
}

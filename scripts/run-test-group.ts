import asyncHooks, { type AsyncHook } from "node:async_hooks";
import { type FileTime, readProcessorSeconds, writeTimes } from "./test-times.ts";

/** A test file, and what its suite is called. */
export interface TestSuite {
  readonly name: string;
  readonly url: string;
}

/**
 * Runs the test files of `group`, a file, in this process, each as a suite, so that its hooks and its failures stay its own.
 * Files are imported one after another: of two at once, one would register its tests in the suite of the other.
 *
 * The runner follows every promise to know which test it belongs to, for a sixth of the processor time. That is needed while
 * tests are registered. Afterwards it only serves to name the test of an error that nobody caught, which is shown
 * here with its stack and the test that was running, and fails the suite of that one's file.
 */
export async function runTestGroup(group: string, suites: readonly TestSuite[]): Promise<void> {
  const { createHook } = asyncHooks;
  const followers: AsyncHook[] = [];
  // The runner takes this function when it is loaded, and calls it for the first suite.
  asyncHooks.createHook = (callbacks) => {
    const follower = createHook(callbacks);
    followers.push(follower);
    return follower;
  };
  const { after, before, beforeEach, describe } = await import("node:test");
  let running = "no test yet";
  const times: FileTime[] = [];
  process.once("exit", () => writeTimes(group, times));
  let uncaught: { readonly error: unknown } | undefined;
  for (const { name, url } of suites)
    await new Promise<void>((registered) => {
      describe(name, () => {
        let start = 0;
        before(() => {
          start = readProcessorSeconds();
        });
        beforeEach(({ name: title }) => {
          running = `${name}: ${title}`;
        });
        return import(url).finally(() => {
          // Registered last, so that what the file itself does at its end is its own as well.
          after(() => {
            // The time of what a browser started is lost where the browser ends first: of a file before.
            times.push({ name, seconds: Math.max(readProcessorSeconds() - start, 0) });
            const failure = uncaught;
            uncaught = undefined;
            if (failure !== undefined) throw failure.error;
          });
          registered();
        });
      });
      asyncHooks.createHook = createHook;
    });
  for (const follower of followers) follower.disable();
  for (const event of ["uncaughtExceptionMonitor", "unhandledRejection"])
    process.on(event, (error) => {
      uncaught ??= { error };
      console.error(`Nobody caught this error, during ${running}`, error);
    });
}

/** For how long at a time the page can neither react nor paint: half of a frame, since a slow device takes longer for the last step. */
const sliceMilliseconds = 8;

/** Does all the steps; whenever a slice of time is over, the page's own work comes first. */
export async function runInSlices<Result>(steps: Generator<unknown, Result, undefined>): Promise<Result> {
  for (;;) {
    // First of all too: it may be the script itself that was just read and run.
    await nextTask();
    const end = performance.now() + sliceMilliseconds;
    do {
      const step = steps.next();
      if (step.done) return step.value;
    } while (performance.now() < end);
  }
}

/** Resolves in a task of its own. Not by a timer, but where nothing else comes: in a page that is out of sight these wait for a second each. */
export function nextTask(): Promise<unknown> {
  return new Promise<void>((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
    setTimeout(resolve, 1000);
  });
}

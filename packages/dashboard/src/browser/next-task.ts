/** Resolves after the tasks that wait already, answers of workers among them. Unlike a timer, it is not held up in a hidden tab. */
export function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}

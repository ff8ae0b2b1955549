import type { BeforeEnd } from "./part-folder.ts";

/** Those with which a person, a terminal or a supervisor ends a program that may still act. */
export const endingSignals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;

/** Cleans up, and then ends as the signal does. */
export const beforeEnd: BeforeEnd = (cleanUp) => {
  const callOff = () => {
    for (const signal of endingSignals) process.off(signal, end);
  };
  const end = (signal: NodeJS.Signals) => {
    cleanUp();
    callOff();
    process.kill(process.pid, signal);
  };
  for (const signal of endingSignals) process.on(signal, end);
  return callOff;
};

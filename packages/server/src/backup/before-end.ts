import type { BeforeEnd } from "./part-folder.ts";

/** Those with which a person, a terminal or a supervisor ends a program that may still act. */
export const endingSignals = ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT"] as const;

/** Has the program clean up, and then end as the signal does. */
export function createBeforeEnd(program: Pick<NodeJS.Process, "on" | "off" | "kill" | "pid">): BeforeEnd {
  return (cleanUp) => {
    const callOff = () => {
      for (const signal of endingSignals) program.off(signal, end);
    };
    const end = (signal: NodeJS.Signals) => {
      cleanUp();
      callOff();
      program.kill(program.pid, signal);
    };
    for (const signal of endingSignals) program.on(signal, end);
    return callOff;
  };
}

import { EventEmitter } from "node:events";
import type { WorkAnswer } from "../../time/page-turns.ts";

/** The answer of a work that no request asked for. */
export function createOpenAnswer(): WorkAnswer & { close(): void } {
  const events = new EventEmitter();
  let destroyed = false;
  const answer = {
    get destroyed() {
      return destroyed;
    },
    once(name: string, listener: () => void) {
      events.once(name, listener);
      return answer;
    },
    close() {
      destroyed = true;
      events.emit("close");
    },
  };
  return answer as never; // has the two members of an answer that are asked for
}

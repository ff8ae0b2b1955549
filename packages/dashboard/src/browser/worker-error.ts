/** A script that the page needs did not arrive: there is no connection, or the server has another version by now. */
export class ScriptNotLoaded extends Error {}

/** Why a worker failed, from its event `error`, which has no message where the script did not arrive. `what` says what else it is. */
export function toWorkerError(event: Event, what: string): Error {
  const isRunning = event instanceof ErrorEvent && event.message !== "";
  return isRunning ? new Error(what) : new ScriptNotLoaded(what);
}

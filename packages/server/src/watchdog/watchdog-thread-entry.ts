/** The thread of `startWatchdog`. While the event loop stands still only this one can still do anything. */
import { writeSync } from "node:fs";
import { Session } from "node:inspector";
import { workerData } from "node:worker_threads";
import { beats, isDebugged, stoodStill, type WatchdogData } from "./pulse.ts";
import { type Look, next, type Standstill } from "./standstill.ts";

const { pulse, limitMilliseconds, lookMilliseconds }: WatchdogData = workerData;
const framesMax = 8;
/** The event loop does not always run JavaScript, and then nothing interrupts it. */
const patienceMilliseconds = 2_000;

let standstill: Standstill = { last: look(), milliseconds: 0 };
const timer = setInterval(() => {
  standstill = next(standstill, look(), lookMilliseconds);
  if (standstill.milliseconds < limitMilliseconds) return;
  clearInterval(timer);
  end();
}, lookMilliseconds);

function look(): Look {
  return {
    milliseconds: performance.now(),
    beats: Atomics.load(pulse, beats),
    isDebugged: Atomics.load(pulse, isDebugged) === 1,
  };
}

/**
 * Asks the event loop's own thread to exit, which breaks into JavaScript wherever it is: that gives the exit code, tells where
 * it stood, and works for process 1 of a container, which no signal of its own ends. SIGKILL is for what is deeper.
 */
function end(): void {
  say(`The service has stood still for ${Math.round(limitMilliseconds / 1000)} s and ends itself with ${stoodStill}`);
  setTimeout(() => {
    say("It does not even exit: it is blocked in the system or in the database, and is killed");
    process.kill(process.pid, "SIGKILL");
  }, patienceMilliseconds);
  const session = new Session();
  session.connectToMainThread();
  const files = new Map<string, string>();
  session.on("Debugger.scriptParsed", ({ params }) => files.set(params.scriptId, params.url));
  session.on("Debugger.paused", ({ params }) => {
    const frames = params.callFrames.slice(0, framesMax).map(({ functionName, location }) => {
      const file = files.get(location.scriptId)?.split("/").slice(-3).join("/") ?? "";
      return `${functionName || "a function"} (${file}:${location.lineNumber + 1})`;
    });
    // Names and places alone: values may be of visitors.
    say(`It was blocked in ${frames.join(", in ")}`);
    session.post("Debugger.disable", () =>
      session.post("Runtime.evaluate", { expression: `process.exit(${stoodStill})` }),
    );
  });
  session.post("Debugger.enable");
  session.post("Debugger.pause");
}

/** Not by the stream, which goes through the thread that stands still. */
function say(line: string): void {
  try {
    writeSync(2, `${line}\n`);
  } catch {
    // Nobody reads it, or the disk is full: the process is to be ended all the same.
  }
}

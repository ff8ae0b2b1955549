/** The thread that writes to SQLite, which dies once instead of saying what it claimed: it is done, and nobody knows. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parentPort, workerData } from "node:worker_threads";

const marker = join(workerData.dataFolder, "died");
if (parentPort !== null && !existsSync(marker)) {
  const port = parentPort;
  const answer = port.postMessage.bind(port);
  port.postMessage = (message) => {
    // Copied instead of transferred, which makes no difference here.
    if (!JSON.stringify(message.content).includes("attemptId")) return answer(message);
    writeFileSync(marker, "");
    process.exit(3);
  };
}
await import("../../startup/writer-thread-entry.ts");

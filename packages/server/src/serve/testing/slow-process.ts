import cluster from "node:cluster";
import { joinProcesses } from "../processes.ts";

// One of several processes, which is starting until its parent says "begin", and ends with 0 when it is asked to once it works.
cluster.worker?.on("message", (message: unknown) => {
  if (message !== "begin") return;
  process.on("SIGTERM", () => process.exit(0));
  void joinProcesses({ url: "http://localhost", setupToken: undefined });
});
cluster.worker?.send("starting");

import cluster from "node:cluster";
import { joinProcesses } from "../processes.ts";

// One of several processes that is starting until its parent says "begin". It hears no message before that, as the
// program hears none while it starts.
cluster.worker?.on("message", (message: unknown) => {
  if (message === "begin") joinProcesses({ url: "http://localhost", setupToken: undefined }, () => process.exit(0));
});
cluster.worker?.send("starting");

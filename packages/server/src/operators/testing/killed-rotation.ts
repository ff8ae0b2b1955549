import { loadConfig } from "../../config/config-files.ts";
import { rotateSecret } from "../secret-administration.ts";

/** `sealpost-server secret rotate`, which is ended by `kill -9` after the batch of this number. */
const wanted = Number(process.argv[2]);
let batches = 0;
await rotateSecret(loadConfig(process.env), {
  onStep: () => {},
  onBatch() {
    batches += 1;
    if (batches === wanted) process.kill(process.pid, "SIGKILL");
  },
});

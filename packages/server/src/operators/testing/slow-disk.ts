import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

/** Preloaded into a command (`--import`): each file takes long to come to the disk and to get its name, so that two commands meet. */
const clock = new Int32Array(new SharedArrayBuffer(4));

function slow<Parameters extends unknown[]>(work: (...parameters: Parameters) => void, milliseconds: number) {
  return (...parameters: Parameters) => {
    Atomics.wait(clock, 0, 0, milliseconds);
    return work(...parameters);
  };
}

fs.fsyncSync = slow(fs.fsyncSync, 250);
fs.renameSync = slow(fs.renameSync, 150);
syncBuiltinESMExports();

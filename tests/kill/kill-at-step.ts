import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { restoringMark } from "../../packages/server/src/database/restoring.ts";

/** Loaded into a restore: ends it before the step of this number on files, counted from the one after the mark. */
const wanted = Number(process.env.KILL_AT_STEP);
const mark = join(process.env.SEALPOST_DATA ?? "", restoringMark);
const isThere = fs.existsSync;
let steps = 0;

function wrap(object: object, names: readonly string[]) {
  for (const name of names) {
    const original = Reflect.get(object, name);
    Reflect.set(object, name, (...values: unknown[]) => {
      if (isThere(mark) && ++steps === wanted) process.kill(process.pid, "SIGKILL");
      return Reflect.apply(original, object, values);
    });
  }
}

wrap(fs, ["chmodSync", "mkdirSync", "openSync", "renameSync", "rmSync", "writeFileSync"]);
wrap(fs.promises, ["copyFile", "open", "rename"]);
syncBuiltinESMExports();

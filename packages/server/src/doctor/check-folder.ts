import { accessSync, constants, type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { logEndings } from "../database/left-over-log.ts";
import { sqliteFile } from "../database/open-sqlite.ts";
import { describeOpenMode } from "../instance/data-folder.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** The data folder: there, ours, closed to others, writable. */
export function checkFolder(folder: string): readonly Finding[] {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (stats === undefined)
    return [
      warning(
        "folder",
        `There is no data folder ${folder} yet`,
        "It is made by the first start; SEALPOST_DATA names it",
      ),
    ];
  if (!stats.isDirectory())
    return [problem("folder", `${folder} is not a folder`, "Name another one by SEALPOST_DATA, or move the file away")];
  const findings = [
    ...checkOwner(folder, stats),
    ...checkMode(folder, stats, "700"),
    ...["secret", sqliteFile, ...logEndings.map((ending) => `${sqliteFile}${ending}`)].flatMap((name) => {
      const file = join(folder, name);
      const found = statSync(file, { throwIfNoEntry: false });
      return found === undefined ? [] : [...checkOwner(file, found), ...checkMode(file, found, "600")];
    }),
  ];
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    findings.push(
      problem("folder", `${folder} cannot be written by this user`, `Run as its owner, or: chown -R USER ${folder}`),
    );
  }
  return findings.length > 0 ? findings : [ok("folder", `${folder} is open to its owner alone`)];
}

function checkMode(path: string, stats: Stats, wanted: string): readonly Finding[] {
  const message = describeOpenMode(path, stats);
  return message === undefined ? [] : [problem("folder", message, `chmod ${wanted} ${path}`)];
}

function checkOwner(path: string, { uid }: Stats): readonly Finding[] {
  const own = userInfo().uid;
  // Windows has no numbers for users.
  if (own === -1 || uid === own) return [];
  const message = `${path} belongs to user ${uid}, and this is user ${own}: the service may not be able to use it`;
  return [warning("folder", message, `Run this command as the user of the service, or: chown ${own} ${path}`)];
}

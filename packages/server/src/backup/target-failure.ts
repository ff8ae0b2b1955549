import { dirname } from "node:path";

/** A sentence for the operator when `error` says that the backup cannot be written to this file; else the error itself. */
export function explainTargetFailure(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  const { code, path, dest } = error as NodeJS.ErrnoException & { readonly dest?: string }; // each may be absent
  const isRoomGone = "errcode" in error && Number(error.errcode) === 13; // SQLITE_FULL; reading needs no room
  // The folder next to the file in which it is made, and the file.
  const isTarget = (dest ?? path)?.startsWith(file) ?? false;
  const explanation = isRoomGone
    ? explain("ENOSPC", dirname(file))
    : isTarget
      ? explain(code, dirname(file))
      : undefined;
  return explanation === undefined ? error : new Error(explanation, { cause: error });
}

function explain(code: string | undefined, folder: string): string | undefined {
  switch (code) {
    case "ENOENT":
      return `There is no folder ${folder} for the backup: make it (mkdir -p -m 700 ${folder}), or name another with --to`;
    case "ENOTDIR":
      return `The backup cannot be written into ${folder}, which is not a folder: name another with --to`;
    case "EACCES":
    case "EPERM":
      return `This user may not write into ${folder}: run as its owner, or name another folder with --to`;
    case "EROFS":
      return `The backup cannot be written into ${folder}, which is read-only: name another folder with --to`;
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return `There is no room for the backup in ${folder}: free some, or name another folder with --to`;
    default:
      return undefined;
  }
}

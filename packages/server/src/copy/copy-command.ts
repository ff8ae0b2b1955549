import { type Command, InvalidArgumentError } from "commander";
import { ConfigError } from "../config/config.ts";
import { loadSecret } from "../config/config-files.ts";
import { parseDatabaseUrl } from "../config/database-url.ts";
import type { CopyProgress } from "./copy.ts";

export interface CopyCommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A line on standard output. */
  readonly print: (line: string) => void;
  readonly onProgress: (progress: CopyProgress) => void;
  readonly exitCodes: string;
}

/** `sealpost-server copy`. */
export function addCopyCommand(program: Command, dependencies: CopyCommandDependencies): void {
  const { environment, print, onProgress, exitCodes } = dependencies;
  program
    .command("copy")
    .description("Move a stopped instance from SQLite to PostgreSQL.")
    .requiredOption("--from <place>", "sqlite: and the data folder, like sqlite:./data", parseSource)
    .option("--to <url>", "an empty PostgreSQL database; SEALPOST_DATABASE_URL (or _FILE) when omitted")
    .addHelpText(
      "after",
      `
Copies every table in batches, compares the number and the content of all rows, and
then says so. The source is not changed, but is not served any more. An interrupted copy
resumes where it was when it is started again. Until it is complete no service starts on
the target. Other users of the machine see arguments: an address with a password is better
named by SEALPOST_DATABASE_URL_FILE.

The service needs its secret afterwards: set SEALPOST_SECRET to the content of the
file \`secret\` in the data folder, unless it is set already.
${exitCodes}

Example:
  SEALPOST_DATABASE_URL_FILE=./database-url sealpost-server copy --from sqlite:./data`,
    )
    .action(async ({ from, to }: { from: string; to?: string }) => {
      const toUrl = to ?? loadSecret(environment, "SEALPOST_DATABASE_URL") ?? "";
      if (parseDatabaseUrl(toUrl) === undefined)
        throw new ConfigError([
          "--to (or SEALPOST_DATABASE_URL) must be a URL like postgres://user:password@host/database",
        ]);
      const { copyInstance } = await import("./copy.ts");
      const rows = await copyInstance({ fromFolder: from, toUrl, onProgress });
      print(`Copied and compared ${rows} rows. Set SEALPOST_DATABASE_URL and SEALPOST_SECRET and serve`);
    });
}

function parseSource(text: string): string {
  const folder = /^sqlite:(.+)$/.exec(text)?.[1];
  if (folder === undefined) throw new InvalidArgumentError("It is like sqlite:./data. Only SQLite can be copied from.");
  return folder;
}

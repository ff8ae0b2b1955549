import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { decodeKeyFileText } from "@sealpost/wire";
import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";

/** The text of a file, or of standard input for `-`. `kind` is what a `CommandError` calls the file. */
export async function readText(
  { folder, input }: Pick<Context, "folder" | "input">,
  path: string,
  kind = "file",
): Promise<string> {
  if (path === "-") return decodeKeyFileText(await buffer(input));
  const bytes = await readFile(resolve(folder, path)).catch(() => {
    throw new CommandError("usage", `The ${kind} ${path} cannot be read`);
  });
  return decodeKeyFileText(bytes);
}

import { resolve } from "node:path";
import { type Client, exportFileName } from "@sealpost/sdk";
import { type Context, say } from "./context.ts";
import { findFormName } from "./form-name.ts";
import { createNewFile, partOf } from "./new-file.ts";
import { writePieces } from "./write-pieces.ts";

/** With the form's name in it, or its id where the credential may not read forms. */
export async function nameFile(
  { now, signal }: Context,
  client: Client,
  formId: string,
  format: Parameters<typeof exportFileName>[2],
): Promise<string> {
  return exportFileName(await findFormName(client, formId, signal), now(), format);
}

/** Into a file, if there is a `path`: under its name when it is whole. `keepsPart`: what was written until an interruption can be continued. */
export async function writeOut(
  { output, folder, signal }: Context,
  pieces: AsyncIterable<string | Uint8Array>,
  path: string | undefined,
  keepsPart: boolean,
): Promise<void> {
  if (path === undefined) return writePieces(output, pieces, signal);
  const file = await createNewFile(resolve(folder, path), path);
  try {
    await writePieces(file.stream, pieces, signal);
    await file.complete();
  } catch (error) {
    await file.interrupt(keepsPart);
    throw error;
  }
}

export function sayInterrupted(context: Context, last: string, path: string | undefined): void {
  const where = path === undefined ? "" : `. What came before is in ${partOf(path)}`;
  say(context, `Interrupted after ${last}: --after continues there${where}`);
}

/** The reader of a pipe has gone, as `head` does: not an error. */
export function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

import { randomBytes } from "node:crypto";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { flushFolder } from "./flush-folder.ts";

/** Replaces a private file (mode 0600) in one step: a run that is cut off leaves the former one. Makes its folder. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString("hex")}.new`;
  const file = await open(temporary, "w", 0o600);
  try {
    // One that a killed run left may have another mode.
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await flushFolder(dirname(path));
}

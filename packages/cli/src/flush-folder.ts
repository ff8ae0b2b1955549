import { open } from "node:fs/promises";

/** Waits until the names in a folder are on the disk; otherwise a new name may be gone after a power cut. Windows opens no folders. */
export async function flushFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

import { statfsSync } from "node:fs";

/**
 * Where files are kept in memory, if there is room for those of a database server (a quarter of this). A commit waits for no
 * disk there: that of a test service is 30 % faster.
 */
export function findMemoryFolder(): string | undefined {
  const folder = "/dev/shm";
  const bytesMin = 2 ** 30;
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > bytesMin && process.availableMemory() > 2 * bytesMin ? folder : undefined;
  } catch {
    return undefined; // not on this system
  }
}

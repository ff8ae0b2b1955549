import type { WriterThread } from "../database/writer-thread.ts";
import type { KeyRing, NumberedSecret } from "./key-ring.ts";

/** The kind of question by which a thread gets the secrets of its process. */
export const keysKind = "keys";

interface PackedRing {
  readonly secrets: readonly NumberedSecret[];
  readonly activeNumber: number;
}

export function packKeyRing(ring: KeyRing): PackedRing {
  // Plain bytes: a Buffer may be a part of memory that it shares with others.
  const secrets = ring.all().map(({ number, secret }) => ({ number, secret: Uint8Array.from(secret) }));
  return { secrets, activeNumber: ring.active().number };
}

/** Resolves when the thread has the secrets that this process has. One that starts later begins with them. */
export async function hand(writer: WriterThread, ring: KeyRing): Promise<void> {
  if (writer.isRunning()) await writer.ask<void>(keysKind, () => ({ content: packKeyRing(ring), transfer: [] }));
}

export function createKeyHandler(ring: KeyRing) {
  return async (content: unknown) => {
    const { secrets, activeNumber } = content as PackedRing; // packed by `hand`
    ring.replace(secrets, activeNumber);
    return { content: undefined, transfer: [] };
  };
}

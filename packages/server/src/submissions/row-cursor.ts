import { invalidCursor } from "../http/cursor.ts";
import type { SecretBox } from "../instance/secret-box.ts";

/** Where a page of a form's rows ends: the time of its last row in milliseconds, and that row's number among those of all forms. */
export type RowPlace = readonly [at: number, sequence: number];

export interface RowCursors {
  encode(formId: string, place: RowPlace): string;
  /** A 400 for anything that `encode` did not make for this form. */
  decode(formId: string, cursor: string): RowPlace;
}

/** Sealed, because from the numbers of rows anybody with a form could tell how many submissions all others receive. */
export function createRowCursors(secretBox: SecretBox): RowCursors {
  const sealer = secretBox.sealer("cursors");
  return {
    encode: (formId, place) => sealer.seal(JSON.stringify(place), formId),
    decode(formId, cursor) {
      try {
        return JSON.parse(sealer.open(cursor, formId)) as RowPlace; // what opens was written by the line above
      } catch {
        throw invalidCursor();
      }
    },
  };
}

import { entriesMax, openPlaces, stageOf } from "@sealpost/envelope";
import { text } from "../texts/text.ts";

/** Entries at which owners read that the places for everybody end soon: 80 % of these, as where other limits warn. */
const soonPlaces = 0.8 * openPlaces;

/**
 * How full the signed list is, by its text, unchecked: it only warns. `undefined` while everybody may change it as their role says, and there is nothing to
 * do yet for the one who reads it.
 */
export function listRoomOf(list: string | undefined, mayBegin: boolean): string | undefined {
  if (list === undefined) return undefined;
  const { listRoom } = text.admissions;
  const count = list.split("\n").length >> 1;
  const stage = stageOf(count + 1);
  if (stage === "open")
    return mayBegin && count >= soonPlaces ? listRoom.soon(count, entriesMax, openPlaces) : undefined;
  const room = listRoom[stage](count, entriesMax);
  return mayBegin ? room : `${room} ${listRoom.askOwner}`;
}

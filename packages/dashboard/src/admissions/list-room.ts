import { entriesMax, stageOf } from "@sealpost/envelope";
import { text } from "../texts/text.ts";

/** How full the signed list is, by its text, unchecked: it only warns. `undefined` while everybody may change it as their role says. */
export function listRoomOf(list: string | undefined): string | undefined {
  if (list === undefined) return undefined;
  const count = list.split("\n").length >> 1;
  const stage = stageOf(count + 1);
  return stage === "open" ? undefined : text.admissions.listRoom[stage](count, entriesMax);
}

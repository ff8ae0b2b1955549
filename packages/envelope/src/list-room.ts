import { findPart, type VerifiedList } from "./list.ts";
import { entriesMax, type PlaceStage, stageOf } from "./list-rules.ts";

/** Who may write the next entry, and how many more there can be. An organization without a list may write the first one. */
export function findListRoom(list: VerifiedList | undefined): { readonly stage: PlaceStage; readonly left: number } {
  const { count } = list ? findPart(list) : { count: 0 };
  return { stage: stageOf(count + 1), left: entriesMax - count };
}

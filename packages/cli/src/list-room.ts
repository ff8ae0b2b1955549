import type { ListHead } from "@sealpost/envelope";

/** How full the list of members is, and what it still takes; `undefined` while everybody may change it as their role says. */
export async function describeListRoom({ number }: Pick<ListHead, "number">): Promise<string | undefined> {
  const { entriesMax, stageOf } = await import("@sealpost/envelope");
  const full = `The list of members has ${number.toLocaleString("en")} of ${entriesMax.toLocaleString("en")} entries`;
  switch (stageOf(number + 1)) {
    case "open":
      return undefined;
    case "owners":
      return `${full}: only owners and the recovery key change it now. Keep what is left for whom you have to add or remove.`;
    case "removals":
      return `${full}: what is left is for owners who remove somebody. Nobody can be added, and no key replaced.`;
    case "full":
      return `${full}: nobody can be added or removed any more.`;
  }
}

const next = "An owner makes room: sealpost keys listed begin-part.";

/** How full the newest part of the list of members is, by its entries, and what it still takes; `undefined` while everybody may change it as their role says. */
export async function describeListRoom(count: number): Promise<string | undefined> {
  const { entriesMax, stageOf } = await import("@sealpost/envelope");
  const full = `The list of members has ${count.toLocaleString("en")} of ${entriesMax.toLocaleString("en")} entries`;
  switch (stageOf(count + 1)) {
    case "open":
      return undefined;
    case "owners":
      return `${full}: only owners and the recovery key change it now. ${next}`;
    case "removals":
      return `${full}: what is left is for owners who remove somebody. Nobody can be added, and no key replaced. ${next}`;
    case "full":
      return `${full}: nobody can be added or removed any more. ${next}`;
  }
}

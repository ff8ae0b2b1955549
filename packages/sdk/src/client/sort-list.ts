import { ApiError } from "./api-error.ts";

/** A list of an answer, in an order of ours. Throws an `ApiError` (`unexpected_answer`) where the answer has no list there. */
export function sortList<Item>(list: readonly Item[], compare: (one: Item, other: Item) => number): Item[] {
  if (!Array.isArray(list))
    throw new ApiError("The server's answer lacks a list that it should have", {
      status: 200,
      code: "unexpected_answer",
    });
  return list.toSorted(compare);
}

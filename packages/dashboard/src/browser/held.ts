/** Asked whether something would be lost with the page: a key that nobody has saved, a text that was typed. The oldest first. */
const questions = new Set<() => boolean>();

/** Has `isHeld` asked whenever the page is about to be left. Returns the function that ends it. */
export function holdPage(isHeld: () => boolean): () => void {
  questions.add(isHeld);
  return () => questions.delete(isHeld);
}

/** The page is left whatever it holds. */
export function releasePage(): void {
  questions.clear();
}

/** Whether something would be lost if the page were left now. */
export function isPageHeld(): boolean {
  return findFirst() !== undefined;
}

/** Whether it is the first that holds the page: one question is enough. */
export function isFirstToHold(isHeld: () => boolean): boolean {
  return findFirst() === isHeld;
}

function findFirst(): (() => boolean) | undefined {
  return [...questions].find((isHeld) => isHeld());
}

/** A version of Semantic Versioning: three numbers, and words after a hyphen. */
const version = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([\w.-]+))?(?:\+[\w.-]+)?$/;

export function isVersion(text: string): boolean {
  return version.test(text);
}

/** Whether `one` comes before `other` (Semantic Versioning 2.0.0, section 11). False if either is no version. */
export function isOlder(one: string, other: string): boolean {
  const [left, right] = [version.exec(one), version.exec(other)];
  if (left === null || right === null) return false;
  for (const index of [1, 2, 3]) {
    const difference = Number(left[index]) - Number(right[index]);
    if (difference !== 0) return difference < 0;
  }
  return isOlderPrerelease(left[4], right[4]);
}

/** One without a prerelease is the newest. Numbers are before words, and the shorter of two that begin alike is first. */
function isOlderPrerelease(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined) return one !== undefined;
  const [left, right] = [one.split("."), other.split(".")];
  const at = left.findIndex((part, index) => part !== right[index]);
  if (at === -1) return left.length < right.length;
  const [mine = "", theirs] = [left[at], right[at]];
  if (theirs === undefined) return false;
  const [isNumber, isOtherNumber] = [mine, theirs].map((part) => /^\d+$/.test(part));
  if (isNumber && isOtherNumber) return Number(mine) < Number(theirs);
  return isNumber === isOtherNumber ? mine < theirs : isNumber === true;
}

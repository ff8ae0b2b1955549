import { endsClean, startsClean } from "./characters.ts";
import { type DigitGroup, hasContext, type Scan, strength } from "./scan.ts";
import { type Steps, stepSize } from "./steps.ts";

const securityWords = new Set(["ssn", "social", "socialsecurity", "ssns"]);
const taxpayerWords = new Set(["itin", "taxpayer", "itins"]);

/**
 * US_SSN: AAA-GG-SSSS; never issued are area 000, 666 and 900–999, group 00, serial 0000 (SSA, Program Operations Manual RM 10201.035).
 * US_ITIN: 9XX-GG-XXXX with GG 50–65, 70–88, 90–92, 94–99 (IRS, Internal Revenue Manual 3.21.263.2).
 * Bare, only after a word or in a field that says which it is.
 */
export function* findUsNumbers(scan: Scan): Steps<void> {
  if (!scan.wants("US_SSN") && !scan.wants("US_ITIN")) return;
  const { text, groups } = scan;
  for (const [index, group] of groups.entries()) {
    if (index % stepSize === 0) yield;
    if (!startsClean(text, group.start)) continue;
    const length = group.end - group.start;
    if (length === 9 && endsClean(text, group.end)) reportBare(scan, group);
    if (length === 3) reportGrouped(scan, index);
  }
}

function reportBare(scan: Scan, group: DigitGroup): void {
  const digits = scan.text.slice(group.start, group.end);
  if (isSsn(digits) && scan.wants("US_SSN") && hasContext(scan, group.start, securityWords))
    scan.report("US_SSN", group.start, group.end, strength.shape);
  if (isItin(digits) && scan.wants("US_ITIN") && hasContext(scan, group.start, taxpayerWords))
    scan.report("US_ITIN", group.start, group.end, strength.shape);
}

function reportGrouped(scan: Scan, index: number): void {
  const { text, groups } = scan;
  const [area, group, serial] = groups.slice(index, index + 3);
  if (area === undefined || group === undefined || serial === undefined) return;
  if (group.end - group.start !== 2 || serial.end - serial.start !== 4 || !endsClean(text, serial.end)) return;
  const separator = text.slice(area.end, group.start);
  if (!["-", " ", "."].includes(separator) || text.slice(group.end, serial.start) !== separator) return;
  const before = groups[index - 1];
  const after = groups[index + 3];
  const isLongerRun =
    (before !== undefined && text.slice(before.end, area.start) === separator) ||
    (after !== undefined && text.slice(serial.end, after.start) === separator);
  const digits =
    text.slice(area.start, area.end) + text.slice(group.start, group.end) + text.slice(serial.start, serial.end);
  const type = isSsn(digits) ? "US_SSN" : isItin(digits) ? "US_ITIN" : undefined;
  if (type === undefined || !scan.wants(type)) return;
  // Spaces part whole numbers too, so a number may stand before or after; hyphens and dots make a longer one.
  if (isLongerRun && separator !== " ") return;
  scan.report(type, area.start, serial.end, strength.shape);
}

export function isSsn(digits: string): boolean {
  return /^(?!000|666|9)\d{3}(?!00)\d\d(?!0000)\d{4}$/.test(digits);
}

export function isItin(digits: string): boolean {
  return /^9\d\d(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/.test(digits);
}

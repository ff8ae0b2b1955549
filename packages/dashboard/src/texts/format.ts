import type { Formats } from "@sealpost/texts";

let chosen: Formats | undefined;

/** Sets how the chosen language writes numbers and times: once, before anything is shown. */
export function setFormats(formats: Formats): void {
  chosen = formats;
}

function formats(): Formats {
  if (chosen === undefined) throw new Error("No language has been loaded yet");
  return chosen;
}

export const formatDateTime: Formats["formatDateTime"] = (time) => formats().formatDateTime(time);
export const formatExactTime: Formats["formatExactTime"] = (time) => formats().formatExactTime(time);
export const formatDate: Formats["formatDate"] = (time) => formats().formatDate(time);
export const formatRelative: Formats["formatRelative"] = (time, now) => formats().formatRelative(time, now);
export const formatNumber: Formats["formatNumber"] = (value) => formats().formatNumber(value);
export const formatBytes: Formats["formatBytes"] = (bytes) => formats().formatBytes(bytes);
export const formatList: Formats["formatList"] = (items) => formats().formatList(items);
export const formatDayUtc: Formats["formatDayUtc"] = (time) => formats().formatDayUtc(time);
export const formatShortDayUtc: Formats["formatShortDayUtc"] = (time) => formats().formatShortDayUtc(time);
export const formatRegion: Formats["formatRegion"] = (code) => formats().formatRegion(code);
export const compareNames: Formats["compareNames"] = (one, other) => formats().compareNames(one, other);

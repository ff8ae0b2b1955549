/** The browsers and systems of which a session's label is made. Nothing else of a `User-Agent` is kept (contract, section 8.5). */
export const browsers = ["edge", "opera", "samsung", "firefox", "chrome", "safari", "program", "other"] as const;
export type Browser = (typeof browsers)[number];
export const systems = ["windows", "android", "chromeos", "ios", "macos", "linux", "other"] as const;
export type System = (typeof systems)[number];

/** A coarse name of where somebody signed in, such as Firefox on Windows: thousands of people have the same. */
export interface BrowserLabel {
  readonly browser: Browser;
  readonly system: System;
}

/** Each with the words that name it. The first that fits counts: browsers also name those that they want to be taken for. */
const browserWords: readonly (readonly [Browser, readonly string[]])[] = [
  ["edge", ["Edg/", "EdgA/", "EdgiOS/"]],
  ["opera", ["OPR/"]],
  ["samsung", ["SamsungBrowser/"]],
  ["firefox", ["Firefox/", "FxiOS/"]],
  ["chrome", ["Chrome/", "Chromium/", "CriOS/"]],
  ["safari", ["Safari/"]],
  ["other", ["Mozilla/"]],
];
const systemWords: readonly (readonly [System, readonly string[]])[] = [
  ["windows", ["Windows"]],
  ["android", ["Android"]],
  ["chromeos", ["CrOS"]],
  ["ios", ["iPhone", "iPad", "iPod"]],
  ["macos", ["Macintosh"]],
  ["linux", ["Linux"]],
];

/** The label of a `User-Agent`. Without one, and with one that is no browser's, it is a program. */
export function labelBrowser(userAgent: string | undefined): BrowserLabel {
  const find = <Name>(words: readonly (readonly [Name, readonly string[]])[]) =>
    words.find(([, parts]) => parts.some((part) => userAgent?.includes(part)))?.[0];
  return { browser: find(browserWords) ?? "program", system: find(systemWords) ?? "other" };
}

export function writeLabel({ browser, system }: BrowserLabel): string {
  return `${browser}/${system}`;
}

/** `undefined` for one that this version does not know. */
export function parseLabel(text: string): BrowserLabel | undefined {
  const [first, second] = text.split("/");
  const browser = browsers.find((one) => one === first);
  const system = systems.find((one) => one === second);
  return browser && system && { browser, system };
}

/** Where a page can keep something, with what its source says there. */
export const places = {
  "session storage": /\bsessionStorage\b/,
  "local storage": /\blocalStorage\b/,
  IndexedDB: /\bindexedDB\b/,
  channel: /\bBroadcastChannel\(/,
  worker: /\?worker\b/,
  lock: /\bnavigator\.locks\b/,
  // Nothing is kept there.
  elsewhere:
    /\bdocument\.cookie\b|\bcookieStore\b|\bcaches\.|\bserviceWorker\b|\bSharedWorker\b|\bwindow\.name\b|\bnavigator\.storage\b|\b(push|replace)State\((?!window\.history\.state|null)/,
} as const;

export type Place = keyof typeof places;

/**
 * - `page`: it ends with the page, and the page with the session
 * - `person`: it outlives the session, for the same person alone: it is deleted when another signs in
 * - `tab`: it is for the person who comes by a link, whether or not another was signed in before
 * - `browser`: says nothing about anybody's submissions; it is for all who use the browser until somebody signs out
 * - `never`: not even then
 */
export type End = "page" | "person" | "tab" | "browser" | "never";

export interface Kept {
  readonly place: Place;
  /** How its name begins there. */
  readonly name: string;
  readonly holds: string;
  readonly ends: End;
  /** Files that read or write it, under `packages`. */
  readonly sources: readonly string[];
}

/**
 * All that the dashboard, and the opener's page, keep in a browser outside of a page's own memory. That has every key, opened submission, draft and
 * answer of the service; it ends with the page, and the page with its session. Only a page that holds what leaving it would lose outlives that,
 * without its keys. The session's cookie is for the service alone (`HttpOnly`).
 */
export const kept: readonly Kept[] = [
  {
    place: "session storage",
    name: "sealpost-invitation",
    holds: "token of an invitation's link",
    ends: "tab",
    sources: [
      "dashboard/src/organization/invitation-token.ts",
      "dashboard/src/sign-in/use-sign-out.ts",
      "dashboard/src/browser/session-channel.ts",
    ],
  },
  {
    place: "session storage",
    name: "sealpost-admission",
    holds: "a link that brings somebody in",
    ends: "tab",
    sources: ["dashboard/src/organization/admission-link.ts"],
  },
  {
    place: "session storage",
    name: "sealpost-admission-answered",
    holds: "who has answered such a link, for which organization, and the names of the members who may bring them in",
    ends: "person",
    sources: ["dashboard/src/organization/admission-link.ts"],
  },
  {
    place: "session storage",
    name: "sealpost-setup-token",
    holds: "token of the set-up address",
    ends: "tab",
    sources: ["dashboard/src/session/session.ts"],
  },
  {
    place: "session storage",
    name: "sealpost-address",
    holds: "token of an emailed link about a move to another address",
    ends: "tab",
    sources: ["dashboard/src/sign-in/address-page.tsx"],
  },
  {
    place: "local storage",
    name: "sealpost-theme",
    holds: "the appearance that was chosen",
    ends: "browser",
    sources: ["dashboard/src/browser/theme.ts", "dashboard/src/sign-in/use-sign-out.ts"],
  },
  {
    place: "local storage",
    name: "sealpost-organization-chosen",
    holds: "the session whose person has chosen an organization",
    ends: "browser",
    sources: ["dashboard/src/organization/chosen-organization.ts"],
  },
  {
    place: "local storage",
    name: "sealpost-csv-separator",
    holds: "what separates the columns of an export",
    ends: "browser",
    sources: ["dashboard/src/submissions/csv-separator.ts"],
  },
  {
    place: "local storage",
    name: "sealpost-lock-minutes",
    holds: "after how many minutes without use the personal key is locked",
    ends: "browser",
    sources: ["dashboard/src/personal-key/lock-minutes.ts"],
  },
  {
    place: "local storage",
    name: "sealpost-seen-",
    holds: "when the newest submission came that was in a form's list, and how many there were",
    ends: "browser",
    sources: ["dashboard/src/form/seen-mark.ts"],
  },
  {
    place: "local storage",
    name: "sealpost-forgetting:",
    holds: "that the keys of a form, or all, are being deleted",
    ends: "page",
    sources: ["dashboard/src/keys/remembered-keys.ts"],
  },
  {
    place: "IndexedDB",
    name: "sealpost",
    holds: "remembered keys, which can't be read out, with their person",
    ends: "person",
    sources: ["dashboard/src/keys/remembered-keys.ts"],
  },
  {
    place: "IndexedDB",
    name: "sealpost-heads",
    holds:
      "the newest lists, envelopes, key logs and public keys that were seen, by which older ones are recognized; no secrets",
    ends: "never",
    sources: ["dashboard/src/envelopes/head-store.ts"],
  },
  {
    place: "channel",
    name: "sealpost-session",
    holds: "that somebody has signed in or out, or switched",
    ends: "page",
    sources: ["dashboard/src/browser/session-channel.ts"],
  },
  {
    place: "channel",
    name: "sealpost-keys",
    holds: "keys of forms that can't be read out, for tabs of the same person",
    ends: "page",
    sources: ["dashboard/src/keys/key-channel.ts", "dashboard/src/browser/lock-all-forms.ts"],
  },
  {
    place: "channel",
    name: "sealpost-personal-key",
    holds: "requests to the open personal key, and their answers",
    ends: "page",
    sources: ["vault/src/key-channel.ts", "vault/src/key-tab.ts"],
  },
  {
    place: "lock",
    name: "sealpost-personal-key",
    holds: "that some tab has the personal key open",
    ends: "page",
    sources: ["vault/src/tab-watch.ts"],
  },
  {
    place: "worker",
    name: "open-worker",
    holds: "the keys of a form while its submissions are opened",
    ends: "page",
    sources: ["dashboard/src/submissions/opener.ts"],
  },
  {
    place: "worker",
    name: "age-worker",
    holds: "a key file while its passphrase is tried",
    ends: "page",
    sources: ["dashboard/src/keys/age.ts", "dashboard/src/offline/read-brought.ts"],
  },
  {
    place: "worker",
    name: "personal-key-worker",
    holds: "the open personal key",
    ends: "page",
    sources: ["dashboard/src/personal-key/start-key-worker.ts"],
  },
];

// The pages of the dashboard, one row for each. Router, menus, titles, the service's addresses, links in emails, the list that
// `sealpost verify` compares with, and the crawls of the tests are derived from it. It imports nothing: the service does not
// import the app, but reads this.

/** The bar on top, the menu under the person's initial, the tabs of a form. */
export type MenuName = "top" | "account" | "form";

export interface Page {
  /** As the address bar shows it; `$formId` stands for the id of a form. */
  readonly path: `/${string}`;
  /** Who has it: anyone; people who are signed in; members who act for an organization; operators of the instance. */
  readonly audience: "anyone" | "person" | "member" | "operator";
  /** Operations of the API: a role must be offered one of them. Without this, the page is for every role. */
  readonly offers?: readonly string[];
  /** How people find it: in a menu, by a link on another page, or by one that they were sent. */
  readonly found: { readonly menu: MenuName } | { readonly on: string } | "by link";
  /** Its link has a secret after the `#`, which the app takes out of the address bar when it starts. */
  readonly hasSecret?: true;
  /** It is part of what a first visit loads; every other page is loaded when it is needed. */
  readonly isLoadedFirst?: true;
}

/** In the order of the menus. */
export const pages = {
  forms: { path: "/", audience: "member", found: { menu: "top" }, isLoadedFirst: true },
  apiKeys: { path: "/api-keys", audience: "member", offers: ["listApiKeys"], found: { menu: "top" } },
  account: { path: "/account", audience: "person", found: { menu: "account" } },
  yourKey: { path: "/account/key", audience: "person", found: { menu: "account" } },
  members: { path: "/members", audience: "member", offers: ["listMembers"], found: { menu: "account" } },
  instance: { path: "/instance", audience: "operator", found: { menu: "account" } },
  auditLog: { path: "/audit-log", audience: "member", offers: ["listAuditEntries"], found: { on: "account" } },
  recovery: { path: "/recovery", audience: "member", offers: ["listMembers"], found: { on: "members" } },
  useRecovery: { path: "/recovery/use", audience: "member", offers: ["setRecoveryRule"], found: { on: "recovery" } },
  join: { path: "/join", audience: "member", found: "by link", hasSecret: true },
  verifyEmail: { path: "/verify-email", audience: "person", found: "by link", hasSecret: true },

  lookAtForms: {
    path: "/forms/look-at",
    audience: "member",
    offers: ["rotateFormKeys"],
    found: { on: "formKeys" },
  },
  newForm: { path: "/forms/new", audience: "member", offers: ["createForm"], found: { on: "forms" } },
  submissions: {
    path: "/forms/$formId",
    audience: "member",
    offers: ["listSubmissions"],
    found: { menu: "form" },
  },
  bin: { path: "/forms/$formId/bin", audience: "member", offers: ["listSubmissions"], found: { on: "submissions" } },
  embed: { path: "/forms/$formId/embed", audience: "member", offers: ["updateForm"], found: { menu: "form" } },
  statistics: {
    path: "/forms/$formId/statistics",
    audience: "member",
    offers: ["getFormStatistics"],
    found: { menu: "form" },
  },
  webhook: { path: "/forms/$formId/webhook", audience: "member", offers: ["listDeliveries"], found: { menu: "form" } },
  formKeys: { path: "/forms/$formId/keys", audience: "member", offers: ["rotateFormKeys"], found: { menu: "form" } },
  settings: {
    path: "/forms/$formId/settings",
    audience: "member",
    offers: ["updateForm", "listAuditEntries"],
    found: { menu: "form" },
  },

  signIn: { path: "/sign-in", audience: "anyone", found: "by link", isLoadedFirst: true },
  signUp: { path: "/sign-up", audience: "anyone", found: { on: "signIn" } },
  setup: { path: "/setup", audience: "anyone", found: "by link" },
  resetPassword: { path: "/reset-password", audience: "anyone", found: { on: "signIn" }, hasSecret: true },
  address: { path: "/address", audience: "anyone", found: "by link", hasSecret: true },
  invitation: { path: "/invitation", audience: "anyone", found: "by link", hasSecret: true },
} as const satisfies Readonly<Record<string, Page>>;

export type Pages = typeof pages;
export type PageName = keyof Pages;
export type PagePath = Pages[PageName]["path"];
/** Names of the pages in a menu. */
export type PageIn<Menu extends MenuName> = {
  [Name in PageName]: Pages[Name]["found"] extends { readonly menu: Menu } ? Name : never;
}[PageName];

/** Pages that need no session. */
export type PageOutside = {
  [Name in PageName]: Pages[Name]["audience"] extends "anyone" ? Name : never;
}[PageName];
/** The parts of a form. */
export type PageOfForm = {
  [Name in PageName]: Pages[Name]["path"] extends `${string}$formId${string}` ? Name : never;
}[PageName];

/** Names of all pages, in their order. */
export const pageNames = Object.keys(pages) as readonly PageName[]; // the keys of a literal

/** Names of the pages in a menu, in its order. */
export function pagesIn<Menu extends MenuName>(menu: Menu): readonly PageIn<Menu>[] {
  return pageNames.filter((name): name is PageIn<Menu> => {
    const { found }: Page = pages[name];
    return typeof found === "object" && "menu" in found && found.menu === menu;
  });
}

/** The page at a path of the address bar; `undefined` where the app has none. */
export function findPage(path: string): PageName | undefined {
  const asked = path.split("/");
  return pageNames.find((name) => {
    const own = pages[name].path.split("/");
    return (
      own.length === asked.length &&
      asked.every((part, index) => (own[index]?.startsWith("$") ? /^[^?#\s]+$/.test(part) : part === own[index]))
    );
  });
}

/** The path with `id` in place of its parameters. */
export function fillPath(path: PagePath, id: string): string {
  return path.replaceAll(/\$\w+/g, () => id);
}

/** Whether a page is this one of a menu, or is found on it: its entry is then marked as the one that is open. */
export function isWithin(name: PageName, entry: PageIn<MenuName>): boolean {
  const outer = findOuter(name);
  return name === entry || (outer !== undefined && isWithin(outer, entry));
}

/** The page on which another is found; forms are found on their list. */
export function findOuter(name: PageName): PageName | undefined {
  const { found }: Page = pages[name];
  if (typeof found === "string") return undefined;
  if ("menu" in found) return found.menu === "form" ? "forms" : undefined;
  return pageNames.find((one) => one === found.on);
}

/**
 * Whether this is where somebody may be led after signing in: a page of the app, perhaps with the submission that is open
 * there, and nothing that a browser could take for another site.
 */
export function isNext(next: unknown): next is string {
  if (typeof next !== "string" || next.length > 500) return false;
  const [, path] = /^(\/[\w/-]*)(\?submission=\w+)?$/.exec(next) ?? [];
  return path !== undefined && findPage(path) !== undefined;
}

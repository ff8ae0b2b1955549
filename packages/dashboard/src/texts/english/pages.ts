import type { PageName } from "../../pages.ts";

/** The name of each page: its heading, its entry in a menu, and what the browser's title begins with. Parts of a form have the form's name as heading. */
export const pages = {
  forms: "Forms",
  apiKeys: "API keys",
  account: "Account",
  yourKey: "Your key",
  members: "Members",
  instance: "Instance",
  auditLog: "Audit log",
  recovery: "Recovery key",
  useRecovery: "Recover with the sheets",
  join: "Join with your key",
  verifyEmail: "Verify your email address",

  newForm: "New form",
  submissions: "Submissions",
  bin: "Bin",
  embed: "Embed",
  statistics: "Statistics",
  webhook: "Webhook",
  formKeys: "Keys",
  settings: "Settings",

  signIn: "Welcome back",
  signUp: "Create your account",
  setup: "Set up Sealpost",
  resetPassword: "Forgot your password?",
  address: "Another email address",
  invitation: "Your invitation",
} as const satisfies Readonly<Record<PageName, string>>;

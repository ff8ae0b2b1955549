import { formatNumber } from "../formats.ts";
import { plural } from "../plurals.ts";

export const account = {
  identity: "You",
  name: "Name",
  email: "Email address",
  id: "Account id",
  plan: "Plan",
  planHint: (plan: string, limit: string) =>
    `The plan ${plan} allows ${limit} API keys. The operator of this server can change it.`,
  unlimited: "any number of",
  password: "Password",
  passwordIntro: "Changing it signs you out everywhere else.",
  currentPassword: "Current password",
  newPassword: "New password",
  changePassword: "Change password",
  passwordChanged: (revoked: number) =>
    `The password is changed. Other sessions have ended${revoked === 0 ? "." : plural(revoked, { one: ", and one API key is revoked.", other: `, and ${formatNumber(revoked)} API keys are revoked.` })}`,
  sessions: "Sessions",
  sessionsIntro:
    "Where you are signed in. Of a browser only its kind and the times are recorded: no address, no version, no device.",
  unknownBrowser: "Unknown browser",
  onSystem: (browser: string, system: string) => `${browser} on ${system}`,
  browsers: {
    edge: "Edge",
    opera: "Opera",
    samsung: "Samsung Internet",
    firefox: "Firefox",
    chrome: "Chrome",
    safari: "Safari",
    program: "A program",
    other: "Another browser",
  },
  systems: {
    windows: "Windows",
    android: "Android",
    chromeos: "ChromeOS",
    ios: "iPhone or iPad",
    macos: "Mac",
    linux: "Linux",
  },
  revokeOf: (name: string) => `End session: ${name}`,
  lastUsed: ", last used ",
  thisSession: "This browser",
  signedIn: "Signed in ",
  revoke: "End session",
  revokeOthers: "End all others",
  sessionEnded: "The session is ended.",
  onlySession: "There is no other session.",
  keysHere: "Keys in this browser",
  keysHereIntro:
    "Keys that you asked this browser to remember. They can open submissions, but can't be read out. Signing out forgets them too, and so does somebody else who signs in here.",
  noKeysHere: "This browser remembers no keys.",
  forgetKeys: "Forget all keys",
  rememberedKeys: (count: number) =>
    plural(count, { one: "One key is remembered.", other: `${formatNumber(count)} keys are remembered.` }),
};

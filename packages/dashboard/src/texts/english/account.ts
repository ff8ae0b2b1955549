import { formatNumber } from "../format.ts";

export const account = {
  title: "Account",
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
    `The password is changed. Other sessions have ended${revoked === 0 ? "." : revoked === 1 ? ", and one API key is revoked." : `, and ${formatNumber(revoked)} API keys are revoked.`}`,
  sessions: "Sessions",
  sessionsIntro: "Browsers where you are signed in. Nothing is recorded about them but when: no address, no device.",
  thisSession: "This browser",
  signedIn: "Signed in ",
  expires: (when: string) => `Ends on ${when}`,
  revoke: "End session",
  revokeOthers: "End all others",
  onlySession: "There is no other session.",
  keysHere: "Keys in this browser",
  keysHereIntro:
    "Keys that you asked this browser to remember. They can open submissions, but can't be read out. Signing out forgets them too.",
  noKeysHere: "This browser remembers no keys.",
  forgetKeys: "Forget all keys",
  rememberedKeys: (count: number) =>
    count === 1 ? "One key is remembered." : `${formatNumber(count)} keys are remembered.`,
};

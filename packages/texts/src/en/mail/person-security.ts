import type { SecurityText } from "../../mail-values.ts";
import { paragraphs } from "../../paragraphs.ts";
import { countKeys, takeBack } from "./security.ts";

/** Emails about a person's account and sign-in, by event. */
export const personSecurity = {
  api_keys_revoked: {
    subject: "Your API keys were revoked",
    sentence: ({ at, apiKeys }) => `The server's operator revoked ${countKeys(apiKeys)} on ${at}.`,
    line: "times all API keys revoked",
    remedy: "Programs that used one need a new key.",
  },
  password_changed: {
    subject: "Your password was changed",
    sentence: ({ at, apiKeys }) =>
      `The password of your account was changed on ${at}. That ended all other sessions and revoked ${countKeys(apiKeys)}.`,
    line: "passwords changed",
    remedy:
      "If it was not you, set a new password by the link at the sign-in page, or ask the server's operator. Passkeys and linked sign-ins that ended with it are in the audit log.",
  },
  password_reset: {
    subject: "A new password was set",
    sentence: ({ at, apiKeys }) =>
      `A new password was set for your account on ${at}, by a link that was mailed to you. That ended all sessions and revoked ${countKeys(apiKeys)}.`,
    line: "passwords set by a mailed link",
    remedy:
      "If it was not you, somebody reads your mail: change its password first, then set a new one here. Passkeys and linked sign-ins that ended with it are in the audit log.",
  },
  password_reset_by_operator: {
    subject: "The server's operator set a new password",
    sentence: ({ at, apiKeys }) =>
      `The server's operator set a new password for your account on ${at}. That ended all sessions and revoked ${countKeys(apiKeys)}.`,
    line: "passwords set by the server's operator",
    remedy:
      "Change the password when you have signed in. If you did not ask for it, ask them why. Passkeys and linked sign-ins that ended with it are in the audit log.",
  },
  second_factor_enabled: {
    subject: "The second factor was turned on",
    sentence: ({ at }) => `Signing in to your account needs a code since ${at}. All other sessions have ended.`,
    line: "second factors turned on",
    remedy: "If it was not you, set a new password, and ask the server's operator to remove your second factor.",
  },
  second_factor_disabled: {
    subject: "The second factor was turned off",
    sentence: ({ at }) => `Signing in to your account needs no code since ${at}.`,
    line: "second factors turned off",
    remedy: takeBack,
  },
  second_factor_reset: {
    subject: "The second factor was taken away",
    sentence: ({ at }) => `The server's operator removed the second factor of your account on ${at}, and its passkeys.`,
    line: "second factors taken away",
    remedy: "Set it up again when you have signed in. If you did not ask for it, ask them why.",
  },
  backup_codes_replaced: {
    subject: "New backup codes were made",
    sentence: ({ at }) => `New backup codes were made for your account on ${at}. The ones before are worth nothing.`,
    line: "times new backup codes made",
    remedy: takeBack,
  },
  identity_linked: {
    subject: "Another sign-in was linked to your account",
    sentence: ({ at }) =>
      `A sign-in at this instance's identity provider was linked to your account on ${at}, and can open it from now on.`,
    line: "sign-ins linked",
    remedy: "If it was not you, unlink it on this page, then change your password.",
  },
  identity_unlinked: {
    subject: "A sign-in was unlinked from your account",
    sentence: ({ at }) => `A sign-in at the identity provider was unlinked from your account on ${at}.`,
    line: "sign-ins unlinked",
    remedy: takeBack,
  },
  passkey_added: {
    subject: "A passkey was added to your account",
    sentence: ({ at }) => `A passkey was added to your account on ${at}, and can open it from now on.`,
    line: "passkeys added",
    remedy: "If it was not you, remove it on this page, then change your password.",
  },
  passkey_removed: {
    subject: "A passkey was removed from your account",
    sentence: ({ at }) => `A passkey was removed from your account on ${at}, and opens it no more.`,
    line: "passkeys removed",
    remedy: takeBack,
  },
  personal_key_made: {
    subject: "A personal key was made in your account",
    sentence: ({ at }) =>
      `A personal key was made in your account on ${at}, and sealed copies of it were stored. It is to open what forms receive.`,
    line: "personal keys made",
    remedy:
      "If it was not you, the key is somebody else's: change your password, and let nobody give that key access to a form.",
  },
  personal_key_replaced: {
    subject: "Your personal key was replaced",
    sentence: ({ at }) =>
      `Another personal key was put in the place of yours on ${at}. The key before can be brought back for 30 days.`,
    line: "personal keys replaced",
    remedy:
      "If it was not you, change your password, which ends all other sessions. Then bring the key before back on this page, within 30 days. After that it is deleted for good, with everything that unlocks it.",
  },
  personal_key_restored: {
    subject: "Your former personal key was brought back",
    sentence: ({ at }) =>
      `A personal key that had been replaced was brought back on ${at}. The one in its place can be brought back for 30 days in turn.`,
    line: "personal keys brought back",
    remedy:
      "If it was not you, change your password, which ends all other sessions. Then look on this page at when each key was made. If the one in use is not yours, bring yours back, within 30 days; never one that you did not make.",
  },
  personal_key_given: {
    subject: "Your personal key was given to another device",
    sentence: ({ at }) =>
      `Your personal key was sealed for another device that is signed in as you on ${at}, on a device on which it was unlocked.`,
    line: "times the personal key was given to another device",
    remedy:
      "If it was not you, somebody was at your unlocked device: change your password, replace your key on this page, and rotate the keys of your forms.",
  },
  key_copy_added: {
    subject: "A way to unlock your personal key was added",
    sentence: ({ at }) => `A sealed copy of your personal key, another way to unlock it, was added on ${at}.`,
    line: "ways to unlock the personal key added",
    remedy:
      "If it was not you, remove it on this page and change your password. It opens your key only if somebody had it unlocked, at a screen that was left open, say.",
  },
  key_copy_removed: {
    subject: "A way to unlock your personal key was removed",
    sentence: ({ at }) =>
      `A sealed copy of your personal key, a way to unlock it, was removed on ${at}. It can be restored for 30 days.`,
    line: "ways to unlock the personal key removed",
    remedy:
      "If it was not you, restore it on this page within 30 days, and change your password. After that it is deleted for good, and what it opened, such as a recovery sheet on paper, opens nothing.",
  },
  key_copy_restored: {
    subject: "A way to unlock your personal key was restored",
    sentence: ({ at }) => `A removed way to unlock your personal key was restored on ${at}, and opens it again.`,
    line: "ways to unlock the personal key restored",
    remedy: "If it was not you, remove it on this page and change your password.",
  },
  account_disabled: {
    subject: "Your account was disabled",
    sentence: ({ at }) => `The server's operator disabled your account on ${at}. Nobody can sign in to it.`,
    line: "times the account disabled",
    remedy: "Your forms still accept submissions, and webhooks continue. Ask them why, and what happens next.",
  },
  account_enabled: {
    subject: "Your account was enabled again",
    sentence: ({ at }) => `The server's operator enabled your account again on ${at}.`,
    line: "times the account enabled",
    remedy:
      "Meanwhile you got no emails about your organizations: the audit log of each has what happened. Sign in, and look through it, your API keys and your webhook addresses.",
  },
  account_verified: {
    subject: "Your email address was verified",
    sentence: ({ at }) => `The server's operator vouched for your email address on ${at}.`,
    line: "times the address vouched for",
    remedy: "If you made no account there, ask them to disable it.",
  },
  sessions_ended: {
    subject: "You were signed out everywhere",
    sentence: ({ at }) => `The server's operator ended all sessions of your account on ${at}. API keys stay valid.`,
    line: "times signed out everywhere",
    remedy: "Sign in again with your password. If you did not ask for it, ask them why.",
  },
  operator_named: {
    subject: "You are an operator of this server",
    sentence: ({ at }) => `You can use the instance page of this server since ${at}.`,
    line: "times made an operator",
    remedy:
      "It wants a second factor of you. If you do not know why you are an operator, ask the person who runs the server.",
  },
  operator_ended: {
    subject: "You are no operator of this server any more",
    sentence: ({ at }) => `You can no longer use the instance page of this server since ${at}. Your account stays.`,
    line: "times no operator any more",
    remedy: "If you do not know why, ask the person who runs the server.",
  },
  account_moved: {
    subject: "Your account has another address",
    sentence: ({ at }) => `The server's operator moved your account to another email address on ${at}.`,
    line: "times the account was moved to another address",
    remedy: "Sign in with the new address. If you did not ask for it, ask them why.",
  },
  account_leaving: {
    subject: "Your account will be deleted",
    sentence: ({ at }) =>
      `On ${at} it was decided to delete your account after 30 days. Everybody was signed out. Your forms and API keys work until then.`,
    line: "times it was decided to delete the account",
    remedy:
      "To keep it, sign in within 30 days. If it was not you, sign in, keep the account, and change your password.",
  },
  account_kept: {
    subject: "Your account is kept",
    sentence: ({ at }) => `On ${at} it was decided to keep your account after all. It is not deleted.`,
    line: "times it was decided to keep the account",
    remedy: "If it was not you, change your password.",
  },
  account_leaving_called_off: {
    subject: "Your account is not deleted",
    sentence: ({ at }) =>
      `The server's operator restored it from a backup, in which your account was to be deleted, and it is in use again since ${at}. You may have kept the account after the backup, so its deletion is called off.`,
    line: "times a restore called off that the account is deleted",
    remedy: "If you still want your account deleted, sign in and ask for it again.",
  },
  membership_ended: {
    subject: "You are no longer a member of an organization",
    sentence: ({ at }) =>
      `On ${at} somebody removed you from an organization. The API keys that you had made there were revoked.`,
    line: "times you were removed from an organization",
    remedy: "If you did not expect this, ask the people with whom you worked there.",
  },
  membership_lowered: {
    subject: "You are no longer an owner of an organization",
    sentence: ({ at }) => `On ${at} somebody gave you another role in an organization that you owned.`,
    line: "times you were given another role in an organization that you owned",
    remedy: "If you did not expect this, ask the people with whom you work there.",
  },
  member_move_undone: {
    subject: "Look at the members of your organization",
    sentence: ({ at, moved }) =>
      paragraphs(
        `The account of ${moved.address}, who is or was a member of an organization that you own, was moved to another email address, and the address before took it back on ${at}. So somebody else may have been in the account until then.`,
        `These memberships were changed from this account, or by people who got their rights from it, since ${moved.since}:`,
        moved.changes,
        "Taking the address back changed none of this, since you are an owner and can decide.",
      ),
    line: "moved addresses of members taken back, so that you look at the members of your organization",
    remedy:
      "If you or that person wanted a change, leave it. Put right by hand what was not meant: remove members, give them another role, or invite them again. Begin with owners: they can change members too. If you own several organizations, choose the one that has these members.",
  },
} as const satisfies Readonly<Record<string, SecurityText>>;

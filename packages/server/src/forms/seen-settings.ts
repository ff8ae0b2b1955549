import type { Role } from "../access/roles.ts";
import { defaultSettings, type Settings, settingNames, settings } from "./form-settings.ts";

/** Settings of the webhook. Many addresses of receivers are secrets: anybody who has one can post there. */
const ofWebhook = Object.fromEntries(
  settingNames.filter((name) => settings[name].kept === "webhook").map((name) => [name, defaultSettings[name]]),
);

/** The settings as a role sees them: to a reader no form has a webhook. All names stay (contract, section 2.2). */
export function showSettings(all: Settings, role: Role | undefined): Settings {
  return role === "reader" ? { ...all, ...ofWebhook } : all;
}

import { type Announcement, type SettingName, type Settings, settingNames, settings } from "./form-settings.ts";

/** A security email that a change of settings is worth. */
export interface AnnouncedChange {
  readonly event: Announcement;
  /** How many addresses a webhook has now. */
  readonly count?: number;
}

/** The emails about a change of a form's settings, each once. */
export function listAnnounced(before: Settings, after: Settings): readonly AnnouncedChange[] {
  const changed = settingNames.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const events = changed.flatMap((name) => announce(name, before, after) ?? []);
  const isAddress = (event: Announcement) => event === "webhook_url_changed";
  return Array.from(new Set(events), (event) =>
    isAddress(event) ? { event, count: after.webhookUrl === null ? 0 : 1 } : { event },
  );
}

function announce(name: SettingName, before: Settings, after: Settings): Announcement | undefined {
  const event = settings[name].announced;
  // The bin's days: with more of them nothing is lost.
  if (event === "keeping_shortened" && after.binDays >= before.binDays) return undefined;
  // Its details decide nothing while nothing is stripped.
  if (event === "stripping_changed" && !before.piiStrip && !after.piiStrip) return undefined;
  return event;
}

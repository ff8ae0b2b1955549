import { formatNumber } from "../formats.ts";
import { plural } from "../plurals.ts";

export const apiKeys = {
  intro:
    "For programs that use the API in your name. A key reads submissions in their stored form: what is sealed stays sealed.",
  guideLink: "How to use the API",
  create: "New API key",
  createNow: "Create key",
  total: (count: number) => plural(count, { one: "1 key", other: `${formatNumber(count)} keys` }),
  emptyTitle: "No API keys yet",
  emptyIntro:
    "Create one for a script, the command line or another server. Give it only the permissions that it needs.",
  name: "Name",
  nameMissing: "The key needs a name",
  nameHint: "What it is for: Backup, CRM, deploy script.",
  permissions: "Permissions",
  permissionsMissing: "Choose at least one permission",
  permission: {
    "forms:read": "See forms, their settings, statistics and webhook log",
    "forms:write": "Create, change and delete forms",
    "submissions:read": "Read submissions, still sealed",
    "submissions:delete": "Delete submissions",
  },
  perhapsCreated:
    "The key may have been created all the same. Nobody has its value then: if the list shows it, revoke it there.",
  lost: (name: string, prefix: string) => `The key “${name}” (${prefix}) was made, and nobody has seen its value`,
  lostHint:
    "The answer with it was lost, so it is of no use to anyone. Until it is revoked, it counts among your keys.",
  revokeLost: "Revoke it",
  createdTitle: "Copy the key now",
  createdIntro: "It is shown only this once and can't be recovered. Anyone who has it can use it.",
  keyLabel: "API key",
  done: "I have copied it",
  leave: {
    title: "Close without the key?",
    hint: "It can't be shown again. Without it you revoke this key and create another.",
    leave: "Close",
  },
  created: "Created ",
  by: " by ",
  lastUsed: "Last used ",
  neverUsed: "Never used",
  revoke: "Revoke",
  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeIntro: "Programs that use this key are refused from the next request on. This can't be undone.",
};

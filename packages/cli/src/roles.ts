import type { Member } from "@sealpost/sdk";
import { Option } from "commander";

export type Role = Member["role"];

const meanings = {
  owner: "everything",
  manager: "forms, submissions and API keys; invites and removes readers and developers",
  reader: "reads the submissions of the forms named with --form",
  developer: "settings, webhooks and API keys of the forms named with --form; no submissions",
  auditor: "reads settings, statistics, members and the audit log",
} as const satisfies Record<Role, string>;

export const rolesHelp = `Roles:
${Object.entries(meanings)
  .map(([role, meaning]) => `  ${role.padEnd(11)}${meaning}`)
  .join("\n")}`;

export function roleOption(): Option {
  return new Option("--role <role>", "what they may do").choices(Object.keys(meanings));
}

/** Which forms a role is for, in a table. */
export function formatForms(forms: readonly string[] | null): string {
  return forms === null ? "all" : String(forms.length);
}

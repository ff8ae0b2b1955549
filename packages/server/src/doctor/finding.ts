/** The checks, in the order of the report. */
export type CheckName =
  | "configuration"
  | "clock"
  | "restore"
  | "disk"
  | "folder"
  | "database"
  | "deliveries"
  | "mail"
  | "identity provider"
  | "keys"
  | "service"
  | "public URL"
  | "proxy"
  | "sign-up"
  | "quotas"
  | "holds"
  | "organizations"
  | "backup"
  | "webhook";

/** One thing that was looked at. What is not well comes with what to do about it. */
export type Finding =
  | { readonly check: CheckName; readonly level: "ok"; readonly message: string }
  | {
      readonly check: CheckName;
      /** `problem`: something does not work, or is open to others. `warning`: it may be meant, or will become one. */
      readonly level: "warning" | "problem";
      readonly message: string;
      readonly remedy: string;
    };

export const ok = (check: CheckName, message: string): Finding => ({ check, level: "ok", message });

export const warning = (check: CheckName, message: string, remedy: string): Finding => ({
  ...{ check, level: "warning", message, remedy },
});

export const problem = (check: CheckName, message: string, remedy: string): Finding => ({
  ...{ check, level: "problem", message, remedy },
});

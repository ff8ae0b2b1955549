import type { Generated } from "kysely";

export interface ApiKeyTable {
  id: string;
  account_id: string;
  name: string;
  prefix: string;
  /** SHA-256 of the key value, hex. */
  hash: string;
  /** JSON array of permissions. */
  permissions: string;
  created_at: number;
  last_used_at: number | null;
  /** The person who made it. */
  made_by: string;
  /** JSON array of the forms that it is limited to; null: all that its maker reaches. */
  form_ids: Generated<string | null>;
  /** When it ends; null: never. */
  expires_at: Generated<number | null>;
  /** When its owners were notified that it ends soon. */
  expiry_notified_at: Generated<number | null>;
}

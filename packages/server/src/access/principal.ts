import type { AccountId, ApiKeyId } from "@sealpost/wire";
import type { FastifyRequest } from "fastify";
import type { Permission } from "./permission.ts";

/** The owner of a session that has not ended. */
export interface OpenSession {
  readonly accountId: AccountId;
  /** When the password or a code was last entered. */
  readonly authenticatedAt: number;
  /** False while the address has to be verified before the account makes forms or API keys. */
  readonly isVerified: boolean;
}

/** Who is asking. A session may do everything that its account may, a key what its permissions say. */
export type Principal =
  | ({ readonly kind: "session"; readonly sessionId: string } & OpenSession)
  | {
      readonly kind: "api_key";
      readonly accountId: AccountId;
      readonly keyId: ApiKeyId;
      readonly permissions: readonly Permission[];
    };

/** Finds out who is asking; `undefined` when the request carries no credential that is valid now. */
export type Authenticate = (request: FastifyRequest) => Promise<Principal | undefined>;

import type { AccountId, ApiKeyId, FormId } from "@sealpost/wire";
import type { FastifyRequest } from "fastify";
import type { Permission } from "./permission.ts";
import type { Role } from "./roles.ts";
import type { SecondFactor } from "./second-factor.ts";

/** A person's rights in the organization that a session acts for. */
export interface Membership {
  /** The organization: the account of the contract. */
  readonly accountId: AccountId;
  /** `undefined`: the person belongs to no organization, or no longer to the one of the session. */
  readonly role: Role | undefined;
  /** The forms that they reach; `undefined` for all of the organization. */
  readonly formIds: readonly FormId[] | undefined;
}

/** The owner of a session that has not ended. */
export interface OpenSession extends Membership {
  readonly personId: AccountId;
  /** When the password or a code was last entered. */
  readonly authenticatedAt: number;
  /** False while the address has to be verified before the account makes forms or API keys. */
  readonly isVerified: boolean;
  /** Whether the membership waits for a proof that the address that was invited is the person's: it gives no role, and can be left. */
  readonly awaitsProof: boolean;
  /** The proof with which the session was opened, in addition to the password; ask `hasSecondFactor`. */
  readonly secondFactor: SecondFactor | undefined;
  /** Whether the organization that the session acts for requires one now, and the session has none. */
  readonly lacksSecondFactor: boolean;
  /** Named by `sealpost-server account operator`. It gives no rights in any organization. */
  readonly isOperator: boolean;
}

/** The session or API key that asks. A session may do what the person's role allows, a key also no more than its permissions say. */
export type Principal =
  | ({ readonly kind: "session"; readonly sessionId: string } & OpenSession)
  | ({
      readonly kind: "api_key";
      readonly madeBy: AccountId;
      readonly keyId: ApiKeyId;
      /** Only permissions that its maker holds now. */
      readonly permissions: readonly Permission[];
    } & Membership);

/** Finds out who is asking; `undefined` when the request carries no credential that is valid now, `expired` for an API key that was. */
export type Authenticate = (request: FastifyRequest) => Promise<Principal | "expired" | undefined>;

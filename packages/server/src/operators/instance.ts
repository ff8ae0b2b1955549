import type { AccountId } from "@sealpost/wire";

export const organizationOrders = ["newest", "name", "storage"] as const;
export type OrganizationOrder = (typeof organizationOrders)[number];
export const personOrders = ["newest", "address"] as const;
export type PersonOrder = (typeof personOrders)[number];

/** One page of a list. */
export interface PageQuery<Order> {
  /** In names and addresses, or an id. */
  readonly search: string | undefined;
  readonly sort: Order;
  readonly limit: number;
  /** The last of the page before. Of the fullest first: with what it stored then. */
  readonly after: { readonly bytes: number; readonly id: string } | undefined;
}

export interface Page<Row> {
  /** The number of rows on all pages. */
  readonly total: number;
  readonly rows: readonly Row[];
}

/** An organization, as far as operators see it. */
export interface InstanceOrganization {
  readonly id: AccountId;
  readonly name: string;
  readonly plan: string;
  readonly createdAt: number;
  readonly bytes: number;
  /** `undefined`: nothing limits it, or it is not known yet. */
  readonly bytesMax: number | undefined;
  readonly forms: number;
  readonly members: number;
  /** The owners who can sign in. */
  readonly owners: number;
}

/** A person, as far as operators see them. */
export interface InstancePerson {
  readonly id: AccountId;
  readonly name: string;
  readonly email: string;
  readonly createdAt: number;
  readonly disabledAt: number | undefined;
  readonly isVerified: boolean;
  readonly hasSecondFactor: boolean;
  readonly operatorSince: number | undefined;
  readonly organizations: number;
  readonly sessions: number;
  readonly apiKeys: number;
}

export interface InstanceCounts {
  readonly organizations: number;
  readonly accounts: number;
  readonly operators: number;
  readonly disabled: number;
}

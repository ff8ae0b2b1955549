import { createRemoveOldMoves, takenBackMilliseconds } from "../accounts/address-move-store.ts";
import { createRemoveUndoneMoves } from "../accounts/undone-move-store.ts";
import type { Database } from "../database/database.ts";
import { stepOfFirst } from "../database/round.ts";
import type { TableName } from "../database/table-record.ts";
import { createEnvelopeStore } from "../forms/envelope-store.ts";
import { createFormReservationStore } from "../forms/form-reservation-store.ts";
import { createInstanceInvitationStore } from "../operators/instance-invitation-store.ts";
import { createAdmissionStore } from "../organizations/admission-store.ts";
import { createInvitationStore } from "../organizations/invitation-store.ts";
import { createRemoveOldChanges } from "../organizations/member-change-store.ts";
import { createDeviceRequestStore } from "../personal-keys/device-request-store.ts";
import { createFormerKeyStore } from "../personal-keys/former-key-store.ts";
import { createPersonalKeyStore } from "../personal-keys/personal-key-store.ts";
import { createFoldCountedBytes } from "../quotas/counted-bytes-store.ts";
import { findClockSeen } from "../retention/clock-guard-store.ts";
import { setAheadRight } from "./ahead-rows-store.ts";

/** The tables whose rows end by themselves after days, each with a step that removes some that have; `false` when there was none. */
export const createEndedRows = (database: Database) =>
  ({
    invitation: createInvitationStore(database).removeOld,
    instance_invitation: createInstanceInvitationStore(database).removeOld,
    admission: createAdmissionStore(database).removeOld,
    address_move: createRemoveOldMoves(database),
    undone_move: createRemoveUndoneMoves(database),
    member_change: createRemoveOldChanges(database, takenBackMilliseconds),
    envelope: createEnvelopeStore(database, () => true).purge,
    key_copy: createPersonalKeyStore(database).purge,
    former_key: createFormerKeyStore(database).purge,
  }) as const satisfies Partial<Record<TableName, (now: number) => Promise<boolean>>>;

/** The same of rows that are there for minutes, and of sums: nothing that somebody would keep, also after a restore. */
export const createShortRows = (database: Database) =>
  ({
    form_reservation: createFormReservationStore(database).removeExpired,
    counted_bytes: createFoldCountedBytes(database),
    device_request: createDeviceRequestStore(database).purge,
  }) as const satisfies Partial<Record<TableName, (now: number) => Promise<boolean>>>;

const setRight = async (database: Database, now: number) =>
  setAheadRight(database, now, (await findClockSeen(database))?.ahead);

type Step = (now: number) => Promise<boolean>;

const firstOf =
  (steps: readonly Step[]): Step =>
  (now) =>
    stepOfFirst(steps.map((removeSome) => () => removeSome(now)));

/** A step of the first table that has any. */
export const createRemoveEnded = (database: Database): Step => firstOf(Object.values(createEndedRows(database)));

/** The same of short rows, after times from a clock that was ahead were set right. */
export const createTidy = (database: Database): Step =>
  firstOf([(now) => setRight(database, now), ...Object.values(createShortRows(database))]);

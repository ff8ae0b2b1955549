import { removeOldMoves, takenBackMilliseconds } from "../accounts/address-move-store.ts";
import { removeUndoneMoves } from "../accounts/undone-move-store.ts";
import type { Database } from "../database/database.ts";
import { stepOfFirst } from "../database/round.ts";
import type { TableName } from "../database/table-record.ts";
import { createEnvelopeStore } from "../forms/envelope-store.ts";
import { createFormReservationStore } from "../forms/form-reservation-store.ts";
import { createInstanceInvitationStore } from "../operators/instance-invitation-store.ts";
import { createAdmissionStore } from "../organizations/admission-store.ts";
import { createInvitationStore } from "../organizations/invitation-store.ts";
import { removeChangesBefore } from "../organizations/member-change-store.ts";
import { createDeviceRequestStore } from "../personal-keys/device-request-store.ts";
import { createFormerKeyStore } from "../personal-keys/former-key-store.ts";
import { createPersonalKeyStore } from "../personal-keys/personal-key-store.ts";
import { createFoldCountedBytes } from "../quotas/counted-bytes-store.ts";
import { findClockSeen } from "../retention/clock-guard-store.ts";
import { setAheadRight } from "./ahead-rows-store.ts";

/** The tables whose rows end by themselves, each with a step that removes some that have; `false` when there was none. */
export const createEndedRows = (database: Database) =>
  ({
    invitation: createInvitationStore(database).removeOld,
    instance_invitation: createInstanceInvitationStore(database).removeOld,
    admission: createAdmissionStore(database).removeOld,
    address_move: (now) => removeOldMoves(database, now),
    undone_move: (now) => removeUndoneMoves(database, now - takenBackMilliseconds),
    member_change: (now) => removeChangesBefore(database, now - takenBackMilliseconds),
    form_reservation: createFormReservationStore(database).removeExpired,
    counted_bytes: createFoldCountedBytes(database),
    envelope: createEnvelopeStore(database, () => true).purge,
    key_copy: createPersonalKeyStore(database).purge,
    former_key: createFormerKeyStore(database).purge,
    device_request: createDeviceRequestStore(database).purge,
  }) as const satisfies Partial<Record<TableName, (now: number) => Promise<boolean>>>;

const setRight = async (database: Database, now: number) =>
  setAheadRight(database, now, (await findClockSeen(database))?.ahead);

/** A step of the first table that has any, after times from a clock that was ahead were set right. */
export function createRemoveEnded(database: Database): (now: number) => Promise<boolean> {
  const steps = [(now: number) => setRight(database, now), ...Object.values(createEndedRows(database))];
  return (now) => stepOfFirst(steps.map((removeSome) => () => removeSome(now)));
}

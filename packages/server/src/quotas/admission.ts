import type { AccountId, FormId, SubmissionId } from "@sealpost/wire";
import { Problem } from "../problems/problem.ts";
import type { HourlyMeter } from "./hourly-meter.ts";
import { storageFull } from "./room.ts";
import type { StorageMeter } from "./storage-meter.ts";
import type { UsageMeter } from "./usage-meter.ts";

/** The limits of a form's submissions. */
export interface BoundedForm {
  readonly id: FormId;
  readonly accountId: AccountId;
  readonly settings: { readonly submissionBytesMax: number; readonly submissionsPerHour: number | null };
}

/** A checked submission that is about to be written. */
export interface Applicant {
  readonly form: BoundedForm;
  readonly id: SubmissionId;
  /** As `countedBytes` of its body. */
  readonly bodyBytes: number;
  readonly address: string;
}

/**
 * Does `work`, which writes a submission, if form, account and disk have room for it. Throws a problem that says what is full,
 * and when to come again.
 */
export type Admit = <Result>(applicant: Applicant, work: () => Promise<Result>) => Promise<Result>;

export interface AdmissionDependencies {
  readonly storage: StorageMeter;
  /** `undefined` where no quotas hold. */
  readonly usage: UsageMeter | undefined;
  readonly hourly: HourlyMeter;
  /** Counts a submission of the address, and says whether it had sent few within the hour. */
  readonly countQuiet: (address: string) => Promise<boolean>;
  /** Whether the form has, or had, a submission of this id: its sender only asks again for the answer. */
  readonly isKnown: (formId: FormId, id: SubmissionId) => Promise<boolean>;
}

/** The largest body that may use the last of the room (contract, section 14.2). */
export const smallBodyBytes = 65_536;

const quotaRetrySeconds = 3600;

export function createAdmit({ storage, usage, hourly, countQuiet, isKnown }: AdmissionDependencies): Admit {
  return async ({ form, id, bodyBytes, address }, work) => {
    const refusal = await findRefusal(form, bodyBytes, address);
    if (refusal !== undefined) {
      if (!(await isKnown(form.id, id))) throw refusal;
      return work();
    }
    try {
      return await work();
    } finally {
      if (form.settings.submissionsPerHour !== null) hourly.end(form.id);
    }
  };

  async function findRefusal(form: BoundedForm, bodyBytes: number, address: string): Promise<Problem | undefined> {
    const { submissionBytesMax, submissionsPerHour } = form.settings;
    if (bodyBytes > submissionBytesMax) return tooLarge(submissionBytesMax);
    const room = await storage.take(bodyBytes);
    // While there is plenty of room and no quota, nobody asks who is quiet, and it costs nothing.
    const matters = usage !== undefined || room === "reserve";
    const mayUseReserve = matters && (await countQuiet(address)) && bodyBytes <= smallBodyBytes;
    if (room === "none" || (room === "reserve" && !mayUseReserve)) return storageFull("submission");
    if (usage !== undefined && !(await usage.take(form.accountId, form.id, bodyBytes, mayUseReserve)))
      return quotaReached();
    const seconds = submissionsPerHour === null ? undefined : await hourly.take(form.id, submissionsPerHour);
    return seconds === undefined ? undefined : hourReached(seconds);
  }
}

function tooLarge(bytesMax: number): Problem {
  return new Problem("payload_too_large", `This form takes submissions of at most ${bytesMax} bytes`);
}

function hourReached(retryAfter: number): Problem {
  return new Problem("rate_limited", "This form takes no more submissions within this hour", { retryAfter });
}

function quotaReached(): Problem {
  return new Problem("unavailable", "This form is full: it takes no more submissions at the moment", {
    retryAfter: quotaRetrySeconds,
  });
}

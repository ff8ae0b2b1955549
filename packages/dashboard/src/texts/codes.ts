import type { AdmissionReason, ListReason, SheetKind } from "@sealpost/envelope";
import type { AuditEntry, formSettings, PrivateKeyReason } from "@sealpost/sdk";
import type { PageName } from "../pages.ts";
import type { EnvelopeRefusal, ListRefusal, RecoveryRefusal } from "../refusals.ts";
import type { text } from "./text.ts";

type Texts = typeof text;
type KindOf<Action> = Action extends `${infer Kind}.${string}` ? Kind : never;
/** Values whose changes an entry shows, besides the settings of forms. */
type OtherSetting =
  | ("name" | "retentionDays" | "keyVersion" | "keyLogEntry" | "closedBelow" | "closesAt" | "permissions")
  | ("holdSince" | "holdReason" | "holdUntil" | "secondFactorRequiredFrom" | "requireRecovery")
  | ("webhookHost" | "webhookSecret")
  | ("role" | "plan" | "forms" | "expiresAt" | "hybrid")
  | ("envelope" | "envelopeRevision" | "memberList" | "listChange" | "ways" | "auditLogStart" | "storageEmails");
type CountName = keyof NonNullable<NonNullable<AuditEntry["details"]>["counts"]>;

/** The codes that are shown as sentences, by the types that declare them. */
interface Codes {
  readonly pages: PageName;
  readonly actions: AuditEntry["action"];
  readonly kinds: KindOf<AuditEntry["action"]>;
  readonly counts: CountName;
  readonly settings: keyof typeof formSettings | OtherSetting;
  readonly lists: ListRefusal | "lost_list";
  readonly envelopes: EnvelopeRefusal | Codes["lists"];
  readonly sweeps: EnvelopeRefusal | Codes["lists"];
  readonly joins: AdmissionReason | ListReason | "wrong_words";
  /** The six words are said where links are opened. */
  readonly answers: AdmissionReason | "wrong_words";
  readonly sheets: SheetKind;
  readonly keys: PrivateKeyReason;
  readonly recovery: RecoveryRefusal | Codes["lists"];
}

/** The codes that the catalogue has sentences for. */
interface Said {
  readonly pages: keyof Texts["pages"];
  readonly actions: keyof Texts["auditLog"]["actions"];
  readonly kinds: keyof Texts["auditLog"]["kinds"];
  readonly counts: keyof Texts["auditLog"]["counts"];
  readonly settings: keyof Texts["auditLog"]["settings"];
  readonly lists: keyof Texts["listRefusals"];
  readonly envelopes: keyof Texts["envelopeRefusals"];
  readonly sweeps: keyof Texts["sweepRefusals"];
  readonly joins: keyof Texts["joinRefusals"];
  readonly answers: keyof Texts["answerRefusals"];
  readonly sheets: keyof Texts["recovery"]["input"]["other"];
  readonly keys: keyof Texts["keyRefusals"];
  readonly recovery: keyof Texts["recovery"]["use"]["refused"];
}

/** The codes without a sentence. */
type Missing = { readonly [Name in keyof Codes]: Exclude<Codes[Name], Said[Name]> };
/** The sentences without a code: nobody ever reads them. */
type Unused = { readonly [Name in keyof Codes]: Exclude<Said[Name], Codes[Name]> };
type None = { readonly [Name in keyof Codes]: never };

/** Compiles only as long as no code lacks its sentence, and no sentence its code. */
export const complete = <_ extends None>(): true => true;
complete<Missing>();
complete<Unused>();

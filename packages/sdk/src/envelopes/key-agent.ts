import type {
  Change,
  ConfirmedMember,
  EnvelopeHead,
  EnvelopeParts,
  EnvelopeRequest,
  ListHead,
  Reader,
  RefusalError,
  SeenEnvelope,
  SignedEntry,
  SignedRevision,
  SigningKeys,
} from "@sealpost/envelope";
import type { FormId, KeyLogSigners, LoggedKey } from "@sealpost/wire";
import type { OpeningKey } from "../open.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Whatever holds a personal key and uses it for the client: the memory of a program, or the worker of a page, which the key never leaves. Requests and
 * answers can cross to another thread. Answers hold only sealed bytes, signatures, public halves, and keys of forms that can't be exported. What an act is
 * refused for is the answer; rejecting means that the key is locked, or something broke.
 */
export interface KeyAgent {
  /** Opens a revision, and checks it by the list, which is checked here again. */
  openEnvelope(request: EnvelopeToOpen): Promise<EnvelopeSeen | RefusalError>;
  /** Says who has signed a revision that is refused, and who reads it, for a person who is asked about it. */
  readSigned(request: RevisionToRead): Promise<SignedRevision | RefusalError>;
  /** Seals and signs the next revision, with the keys of the one before, which it opens. */
  sealEnvelope(request: EnvelopeToSeal): Promise<SealedEnvelope | RefusalError>;
  /** Signs the entry of a key log with the open key, or with a former one that the log still names. */
  signKeyLogEntry(entry: KeyLogEntryToSign): Promise<{ readonly entry: string } | RefusalError>;
  /** Signs an entry of the list of members. */
  signEntry(entry: EntryToSign): Promise<SignedEntry | RefusalError>;
  /** Signs the head of a verified list, for the person's other devices. */
  signHead(head: HeadToSign): Promise<{ readonly signedHead: string } | RefusalError>;
}

/** A list that was checked up to `head`. It crosses to the agent as bytes. */
export interface ListToCheck {
  readonly organizationId: string;
  readonly bytes: Bytes;
  /** The file of names next to it, as it was received. */
  readonly names: Bytes;
  readonly head: ListHead;
}

export interface EntryToSign {
  readonly organizationId: string;
  /** Absent for the first entry. */
  readonly list?: ListToCheck;
  readonly change: Change;
  readonly signerId: string;
  /** Signed with the former key of this signing key, which it replaces in the list. */
  readonly formerSigningKey?: string;
}

export interface HeadToSign {
  readonly organizationId: string;
  /** The head of a list that this device has verified. */
  readonly list: ListHead;
  readonly signedBy: string;
}

export interface EnvelopeToOpen extends EnvelopeRequest {
  readonly list: ListToCheck;
  /** The organization's recovery key, where the person's own does not open it. */
  readonly openWith?: string;
}

export type RevisionToRead = Pick<
  EnvelopeToOpen,
  "file" | "formId" | "firstVersion" | "revision" | "list" | "newest" | "openWith"
>;

/** An envelope that was opened and checked, without its private keys. */
export interface EnvelopeSeen extends SeenEnvelope {
  readonly keys: readonly OpeningKey[];
  /** How its writer calls the form. */
  readonly formName: string;
  /** `by`: the id of the member who has put this reader there. Without a `name`, the server does not show the one that the list commits to. */
  readonly readers: readonly (Reader & { readonly name: string | undefined })[];
  /** The writer's clock. */
  readonly writtenAt: string;
  /** The member who wrote it; without a `name` where that is missing. */
  readonly writtenBy: { readonly id: string; readonly name: string | undefined };
  /** Ids of readers and writer who have left, or have other keys or fewer rights by now. */
  readonly outdated: readonly string[];
  /** Ids of readers of this envelope alone, whom nobody is known to have put there: the next revision is not for them until somebody confirms them. */
  readonly unknown: readonly string[];
}

/** As an envelope is sealed, with bytes in the place of what has a key in it, or was checked in the other thread. */
export interface EnvelopeToSeal
  extends Pick<
    EnvelopeParts,
    "formId" | "firstVersion" | "readerIds" | "confirmedIds" | "keys" | "ahead" | "formName" | "keyLog" | "after"
  > {
  readonly list: ListToCheck;
  readonly signerId: string;
  /** Members whom the person has confirmed on this device. */
  readonly confirmed: readonly ConfirmedMember[];
  /** The revision that this one follows, with its head as it was seen. */
  readonly previous?: EnvelopeFile;
  /** The form's last envelope, where another one is begun: who put its readers there is known from it. */
  readonly earlier?: EnvelopeFile;
  /** An older revision, with versions that `previous` has lost. `ahead` of its keys stay lost. */
  readonly lost?: EnvelopeFile & { readonly ahead?: readonly number[] };
  /** The organization's recovery key, where the person's own does not open `previous`. */
  readonly openWith?: string;
}

export interface KeyLogEntryToSign {
  readonly formId: FormId;
  /** All of the form's key log, which is checked here. */
  readonly log: Bytes;
  /** The key that the entry adds. */
  readonly key: LoggedKey;
  /** Who may sign the entry after, where an owner signs this one. Absent: as before. */
  readonly signers?: KeyLogSigners;
  /** The organization's recovery key, where the log names none of the person's own. */
  readonly signWith?: Pick<SigningKeys, "signingKey" | "signingSeed">;
}

export interface EnvelopeFile {
  readonly file: Bytes;
  /** As it was seen. */
  readonly head: EnvelopeHead;
}

export interface SealedEnvelope {
  readonly file: Bytes;
  readonly head: EnvelopeHead;
}

import {
  type EnvelopeToOpen,
  identitiesOf,
  type KeyInUse,
  openFormEnvelope,
  readSignedRevision,
  sealFormEnvelope,
  signEntry,
  signKeyLogEntry,
  signOwnHead,
} from "@sealpost/sdk/envelopes";
import { copyOperations, loadHybridKem } from "@sealpost/vault";
import { makeAdmission, signAnswer } from "../envelopes/admission-operations.ts";
import { sealKeyFiles } from "../envelopes/seal-key-files.ts";

/**
 * Everything that a page may have done with the open personal key, inside the worker that holds it. Answers are sealed bytes,
 * signatures, public halves, or CryptoKeys that can't be exported: never the key. An operation that refuses gives a
 * `RefusalError`, with which `askPersonalKey` rejects.
 */
export const operations = {
  ...copyOperations,
  signEntry,
  signKeyLogEntry,
  signHead: signOwnHead,
  openEnvelope: async (key: KeyInUse, request: EnvelopeToOpen) =>
    openFormEnvelope(identitiesOf(key), request, await loadHybridKem()),
  readSigned: readSignedRevision,
  sealEnvelope: sealFormEnvelope,
  sealKeyFiles,
  makeAdmission,
  signAnswer,
};

export type OperationName = keyof typeof operations;

export type Operations = {
  readonly [Name in OperationName]: {
    readonly request: Parameters<(typeof operations)[Name]>[1];
    readonly answer: Exclude<Awaited<ReturnType<(typeof operations)[Name]>>, Error>;
  };
};

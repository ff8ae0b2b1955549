/** No host, or more than one, may be written to. The message is a sentence for the operator. */
export class NoPrimaryError extends Error {}

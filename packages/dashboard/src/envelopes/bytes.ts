export type Bytes = Uint8Array<ArrayBuffer>;

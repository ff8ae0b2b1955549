/**
 * The padded size in bytes of a plaintext of `size` bytes: 1, 2 or 4 KiB, then the next Padmé size
 * (Nikitin et al., "Reducing Metadata Leakage from Encrypted Files and Communication with PURBs", 2019),
 * which adds at most 12 % and leaks O(log log size) bits. SPECIFICATION.md section 4.
 */
export function paddedSize(size: number): number {
  if (size <= 4096) return Math.max(1024, 2 ** Math.ceil(Math.log2(size)));
  const exponent = Math.floor(Math.log2(size));
  const step = 2 ** (exponent - (Math.floor(Math.log2(exponent)) + 1));
  return Math.ceil(size / step) * step;
}

/** `plaintext` followed by spaces up to its padded size; JSON stays JSON. */
export function pad(plaintext: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(paddedSize(plaintext.length)).fill(0x20);
  padded.set(plaintext);
  return padded;
}

import { paddedSize } from "../padding.ts";

/** vectors/padding.json: sizes around every boundary to 16 KiB, every power of two and its last step to 1 MiB. */
export function paddingVectors() {
  const boundaries = new Set([0, 1, 1024, 2048, 4096]);
  for (let size = 4096; size <= 16_384; size = paddedSize(size + 1)) boundaries.add(size);
  for (let power = 2 ** 15; power <= 2 ** 20; power *= 2) boundaries.add(power).add(paddedSize(power + 1));
  const sizes = new Set([...boundaries].flatMap((size) => [size - 1, size, size + 1]).filter((size) => size >= 0));
  return [...sizes].sort((a, b) => a - b).map((size) => ({ size, padded: paddedSize(size) }));
}

import type { HybridKeyPair } from "@sealpost/wire";
import pairs from "../../packages/wire/vectors/hybrid-keys.json" with { type: "json" };

/** The two hybrid pairs of the test vectors: public ones, so they protect nothing. */
export const [firstHybridPair, secondHybridPair] = [pairs["hybrid first"], pairs["hybrid second"]] as [
  HybridKeyPair, // as the vectors' own tests hold them to it
  HybridKeyPair,
];

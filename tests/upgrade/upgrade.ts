/** `npm run test:upgrade`: every later version takes over what the baseline has stored. */
import { baselineCommit } from "../support/baseline.ts";

if (baselineCommit !== undefined) throw new Error(`Upgrades from ${baselineCommit} have no tests yet`);
console.log(
  "There is no baseline yet: until version 0.2.0 is released, no version takes over the data of another one.",
);

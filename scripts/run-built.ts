/**
 * `node scripts/run-built.ts FILE …`: `npm run build`, silent when all is well, and then the program with its options. The program
 * ends with npm, which it would not after a shell's `&&`.
 */
import { runBuilt } from "./run-part.ts";

const [file = "", ...parameters] = process.argv.slice(2);
process.exitCode = await runBuilt(file, parameters);

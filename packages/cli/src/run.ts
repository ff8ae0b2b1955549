import { CommanderError } from "commander";
import { type Context, say } from "./context.ts";
import { exitCodes, toCommandError } from "./exit-code.ts";
import { createProgram } from "./program.ts";

/** Runs the command line on `parameters` (without the program's own name) and gives its exit code. Never rejects. */
export async function run(context: Context, parameters: readonly string[], version: string): Promise<number> {
  try {
    await createProgram(context, version).parseAsync(parameters, { from: "user" });
    return exitCodes.success[0];
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success[0] : exitCodes.usage[0];
    if (context.signal.aborted) return exitCodes.interrupted[0];
    // The reader of our output has left early, as `head` does: that is its right and not an error.
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return exitCodes.success[0];
    const { exit, message } = toCommandError(error);
    say(context, `sealpost: ${message}`);
    return exitCodes[exit][0];
  }
}

import { CommanderError } from "commander";
import { type Context, say } from "./context.ts";
import { CommandError, exitCodes, toCommandError } from "./exit-code.ts";
import { createProgram } from "./program.ts";
import { explainVersions, isOfEngine } from "./server-version.ts";

/** Runs the command line on `parameters` (without the program's own name) and gives its exit code. Never rejects. */
export async function run(context: Context, parameters: readonly string[], version: string): Promise<number> {
  const asked = {};
  try {
    await createProgram({ ...context, asked }, version).parseAsync(parameters, { from: "user" });
    return exitCodes.success[0];
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success[0] : exitCodes.usage[0];
    if (context.signal.aborted) return exitCodes.interrupted[0];
    // The reader of our output has left early, as `head` does: that is its right and not an error.
    if (error instanceof Error && "code" in error && error.code === "EPIPE") return exitCodes.success[0];
    const { exit, message } = toCommandError(
      isOfEngine(error)
        ? new CommandError("unavailable", "The server's answer is not what this command expects.")
        : error,
    );
    say(context, `sealpost: ${message}`);
    const note = await explainVersions(error, asked, version);
    if (note !== undefined) say(context, note);
    return exitCodes[exit][0];
  }
}

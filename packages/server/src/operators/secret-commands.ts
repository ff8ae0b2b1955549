import type { Command } from "commander";
import { loadConfig } from "../config/config-files.ts";

export interface SecretCommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A line on standard output. */
  readonly print: (line: string) => void;
  readonly exitCodes: string;
}

/** `sealpost-server secret rotate`, `status` and `drop`. */
export function addSecretCommands(
  program: Command,
  { environment, print, exitCodes }: SecretCommandDependencies,
): void {
  const secret = program.command("secret").description("Change the secret of the service.");

  secret
    .command("rotate")
    .description("Use a new secret, and seal again what was sealed with the former one.")
    .addHelpText(
      "after",
      `
The service runs meanwhile, and nothing is lost if this is interrupted: run it again, or let
the service finish.

If the secret is in the data folder, the new one is made and written there. If it is set by
SEALPOST_SECRET, write the new one before the one so far, with a comma between (or on a
line of its own in the file that SEALPOST_SECRET_FILE names), start every process of the
service again, and run this command with the same setting.

Afterwards the former secret only keeps links and cookies valid: \`secret drop\` ends that.
Another rotation begins after it.
${exitCodes}

Example:
  sealpost-server secret rotate`,
    )
    .action(async () => {
      const { rotateSecret } = await import("./secret-administration.ts");
      let sealed = 0;
      const spent = await rotateSecret(loadConfig(environment), {
        onStep: print,
        onBatch: (pass) => {
          // A pass at a time, so that the numbers go up within each.
          if (pass.sealedAgain >= sealed + 1000) print(`${pass.sealedAgain} values are sealed again`);
          sealed = pass.sealedAgain;
        },
      });
      if (spent.length === 0) return print("Nothing is sealed with a former secret");
      print(`Nothing is sealed with key ${spent.map(({ number }) => number).join(", ")} any more.`);
      print(
        "Unsubscribe links, remembered browsers and cookies from before still need it, until: sealpost-server secret drop",
      );
    });

  secret
    .command("status")
    .description("Show which secrets are in use, and what still needs a former one.")
    .addHelpText("after", `${exitCodes}\n\nExample:\n  sealpost-server secret status`)
    .action(async () => {
      const { readSecretStatus } = await import("./secret-administration.ts");
      const { describeUse } = await import("./secret-words.ts");
      const { uses, hasNext } = await readSecretStatus(loadConfig(environment));
      for (const use of uses) print(describeUse(use));
      if (hasNext) print("A new secret is in place, and not in use yet: sealpost-server secret rotate");
    });

  secret
    .command("drop")
    .description("End the use of former secrets, once nothing is sealed with them.")
    .addHelpText(
      "after",
      `
What only a former secret vouches for ends: unsubscribe links in emails from before the
rotation, sessions of browsers that have not been here since, and what browsers remember of
earlier sign-ins. Session tokens of programs (15 minutes) have to be fetched again.
${exitCodes}

Example:
  sealpost-server secret drop`,
    )
    .action(async () => {
      const { dropFormerSecrets } = await import("./secret-administration.ts");
      const config = loadConfig(environment);
      const dropped = await dropFormerSecrets(config);
      if (dropped.length === 0) return print("There is no former secret to drop");
      print(`Dropped: key ${dropped.map(({ number }) => number).join(", ")}`);
      if (config.secrets !== undefined)
        print("Take its secret out of SEALPOST_SECRET. Keep it with the backups that were made with it");
    });
}

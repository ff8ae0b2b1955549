import type { Command } from "commander";
import type { Context } from "../context.ts";
import { collect } from "../option-values.ts";
import type { VerifyOptions } from "./verify-instance.ts";

export function addVerifyCommand(program: Command, context: Context, version: string): void {
  program
    .command("verify")
    .summary("check that an instance serves what was released, and offers your keys")
    .description(
      "Fetches, as several browsers and without a credential, all scripts and pages that an instance serves, and compares each byte with the " +
        "signed list of a release. Also checks the keys that forms offer, and the snippets of pages. Ends with 0 if all is as it should " +
        "be, with 9 if something differs, with 6 if something could not be fetched, and with 2 if the command line is wrong.",
    )
    .argument("<url>", "address of the instance, such as https://forms.example.org")
    .option(
      "--release <place>",
      "folder or address of a release to compare with (default: this command line's own); repeat it for pages with older scripts",
      collect,
    )
    .option(
      "--signer <file>",
      "public key that the releases are signed with, in PEM; an unsigned release is then refused",
    )
    .option("--at-least <version>", "the oldest version that the instance is allowed to run, such as 0.2.0")
    .option(
      "--form <id=fingerprint>",
      "form and the fingerprints that its keys must have, separated by commas, as in your key file; repeatable",
      collect,
    )
    .option("--page <url>", "page with a snippet to check: script, integrity and pinned key; repeatable", collect)
    .option("--user-agent <text>", "also ask as this browser; repeatable", collect)
    .option("--json", "print the outcome as JSON")
    .action(async (url: string, options: VerifyOptions) => {
      const { verifyInstance } = await import("./verify-instance.ts");
      return verifyInstance(context, version, url, options);
    });
}

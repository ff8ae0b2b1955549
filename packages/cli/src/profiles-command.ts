import type { Command } from "commander";
import { describeAccount, findExisting } from "./choose-profile.ts";
import { type Context, say } from "./context.ts";
import { toCommandError } from "./exit-code.ts";
import {
  findCurrentName,
  listProfiles,
  type Profile,
  profilePath,
  removeProfile,
  storeCurrentName,
} from "./profiles.ts";
import { signOut } from "./session.ts";
import { formatJson, formatTable } from "./table.ts";

export function addProfilesCommands(program: Command, context: Context): void {
  const profiles = program
    .command("profiles")
    .summary("list and choose the instances and accounts that you are signed in to")
    .description(
      "Shows and chooses the instance and account that commands act on. Each `sealpost login` to another instance, or as another account, makes a profile. " +
        "Commands use the current one, or the one that --profile or SEALPOST_PROFILE names.",
    );

  profiles
    .command("list")
    .summary("list the profiles on this machine")
    .description("Lists the profiles on this machine, without their credentials. Asks no server.")
    .option("--json", "print them as a JSON array")
    .action((options: { readonly json?: boolean }) => list(context, options));

  profiles
    .command("use")
    .summary("make a profile the current one")
    .description("Makes this profile the one that commands use, unless another one is named. Asks no server.")
    .argument("<name>", "name of the profile")
    .action((name: string) => use(context, name));

  profiles
    .command("remove")
    .summary("end a profile's session and forget it")
    .description(
      "Removes a profile from this machine, and ends its session on the server if that can be reached. " +
        "An API key stays valid: `sealpost keys revoke` ends one.",
    )
    .argument("<name>", "name of the profile")
    .action((name: string) => remove(context, name));
}

async function list(
  { environment, output, ...context }: Context,
  { json }: { readonly json?: boolean },
): Promise<void> {
  const all = await listProfiles(environment);
  const current = environment.SEALPOST_PROFILE || (await findCurrentName(environment));
  for (const { name } of all.filter(({ credentials }) => credentials === undefined))
    say({ ...context, environment, output }, `${profilePath(environment, name)} is damaged: sign in again`);
  if (json)
    return void output.write(
      `${formatJson(
        all.map((profile) => toJson(profile, current)),
        2,
      )}\n`,
    );
  const rows = all.map(({ name, credentials }) => [
    ...[name, credentials?.url ?? "", credentials === undefined ? "" : describeAccount(credentials)],
    name === current ? "yes" : "no",
  ]);
  output.write(formatTable(["NAME", "INSTANCE", "ACCOUNT", "CURRENT"], rows));
}

function toJson({ name, credentials }: Profile, current: string | undefined) {
  return {
    name,
    url: credentials?.url ?? null,
    account: credentials === undefined ? null : describeAccount(credentials),
    current: name === current,
  };
}

async function use(context: Context, text: string): Promise<void> {
  const { environment } = context;
  const { name, credentials } = await findExisting(environment, text);
  await storeCurrentName(environment, name);
  say(context, `${name} is the current profile now${credentials === undefined ? "" : `: ${credentials.url}`}`);
  const { SEALPOST_PROFILE: named, SEALPOST_URL: url, SEALPOST_TOKEN: token } = environment;
  const stronger = [
    ...(named && named !== name ? ["SEALPOST_PROFILE"] : []),
    ...(url ? ["SEALPOST_URL"] : []),
    ...(token ? ["SEALPOST_TOKEN"] : []),
  ];
  if (stronger.length > 0) say(context, `${stronger.join(" and ")} in the environment overrides it`);
}

async function remove(context: Context, text: string): Promise<void> {
  const { environment } = context;
  const { name, credentials } = await findExisting(environment, text);
  const wasCurrent = (await findCurrentName(environment)) === name;
  await removeProfile(environment, name);
  if (credentials?.kind === "session")
    await signOut(credentials.url, credentials.cookie).catch((error: unknown) => {
      say(context, `The session at ${credentials.url} could not be ended: ${toCommandError(error).message}`);
    });
  say(context, `Removed the profile ${name}`);
  if (wasCurrent && (await listProfiles(environment)).length > 0)
    say(context, "There is no current profile now: choose one with `sealpost profiles use <name>`");
}

import { readFileSync } from "node:fs";
import { type Config, ConfigError, parseConfig, secretNames } from "./config.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Parses the configuration, with secrets taken from files where `…_FILE` names one: other programs of the machine may see
 * an environment, and containers and systemd hand secrets over as files.
 */
export function loadConfig(environment: Environment): Config {
  const { values, errors } = readSecretFiles(environment, secretNames);
  try {
    const config = parseConfig(values);
    if (errors.length === 0) return config;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    errors.push(...error.errors);
  }
  throw new ConfigError(errors);
}

/** One of them alone, for a command that needs no configuration. Throws a `ConfigError` where its file can't be read, or both are set. */
export function loadSecret(environment: Environment, name: (typeof secretNames)[number]): string | undefined {
  const { values, errors } = readSecretFiles(environment, [name]);
  if (errors.length > 0) throw new ConfigError(errors);
  return values[name]?.trim();
}

function readSecretFiles(environment: Environment, names: readonly string[]) {
  const values: Record<string, string | undefined> = { ...environment };
  const errors: string[] = [];
  for (const name of names) {
    const file = environment[`${name}_FILE`]?.trim();
    delete values[`${name}_FILE`];
    if (file === undefined || file === "") continue;
    if (values[name] !== undefined) errors.push(`${name} and ${name}_FILE are both set: only one may be`);
    try {
      values[name] = readFileSync(file, "utf8");
    } catch (error) {
      errors.push(`${name}_FILE names a file that cannot be read (${codeOf(error)}): ${file}`);
    }
  }
  return { values, errors };
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}

import type { LibraryKey, SecretBox } from "../instance/secret-box.ts";

/** Form in which the sign-in library keeps its `secrets` (its `SecretConfig`): by their versions. */
interface LibrarySecrets {
  readonly keys: Map<number, string>;
  readonly currentVersion: number;
}

/**
 * Lets the sign-in library, which takes its keys once, use those of each moment: a rotation changes them while the service
 * runs. Every request of the library reads them from here.
 */
export function followKeys(context: object, secretBox: Pick<SecretBox, "libraryKeys">): void {
  Object.defineProperties(context, {
    secret: { get: () => secretBox.libraryKeys()[0].value, enumerable: true, configurable: true },
    secretConfig: { get: () => toLibrarySecrets(secretBox.libraryKeys()), enumerable: true, configurable: true },
  });
}

/** For what the library encrypts: the number of the key is written before it. */
export function toLibrarySecrets(keys: readonly [LibraryKey, ...LibraryKey[]]): LibrarySecrets {
  return { keys: new Map(keys.map(({ version, value }) => [version, value])), currentVersion: keys[0].version };
}

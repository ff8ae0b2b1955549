/** Those options of the embed that decide who can read answers, and who gets them. */
export interface ReadOptions {
  /** The fingerprints that are pinned; `undefined` where none is. */
  readonly pins: readonly string[] | undefined;
  /** The entry of the form's key log that is pinned; `undefined` where none is. */
  readonly keyLog: string | undefined;
  /** False where the page itself says that it is not sealed. */
  readonly isSealed: boolean;
  /** The service, where the page names another than that of the script. */
  readonly endpoint: string | undefined;
}

/** The options in a data attribute; `undefined` where they can't be read. */
export function parseOptions(json: string): ReadOptions | undefined {
  const options = parseJson(json);
  if (typeof options !== "object" || options === null || Array.isArray(options)) return undefined;
  const { keyFingerprint, keyLog, encryption = true, endpoint } = options as Readonly<Record<string, unknown>>; // each member is checked
  const pins = keyFingerprint === undefined ? undefined : parsePins(keyFingerprint);
  if ((keyFingerprint !== undefined && pins === undefined) || typeof encryption !== "boolean") return undefined;
  if (keyLog !== undefined && typeof keyLog !== "string") return undefined;
  return endpoint === undefined || typeof endpoint === "string"
    ? { pins, keyLog, isSealed: encryption, endpoint }
    : undefined;
}

/** Fingerprints in a list, or between spaces; `undefined` if anything else is there too. */
export function parsePins(value: unknown): readonly string[] | undefined {
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (!texts.every((text) => typeof text === "string")) return undefined;
  const pins = texts.join(" ").split(/\s+/);
  return pins.every((pin) => /^[\w-]{43}$/.test(pin)) ? pins : undefined;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

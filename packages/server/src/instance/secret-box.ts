import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { KeyPurposeName, SealPurpose, SignPurpose } from "./key-purposes.ts";
import { type KeyRing, keyNumberMax, type NumberedSecret } from "./key-ring.ts";

/**
 * What the service protects with its own secret. Each purpose has an independent key (HKDF-SHA-256, RFC 5869). What is new is
 * made with the active secret; what was made with a former one opens for as long as this process holds that.
 */
export interface SecretBox {
  sealer(purpose: SealPurpose): Sealer;
  /** Whether this process holds the active secret. Without it all else here throws a `MissingSecretError`. */
  isOpen(): boolean;
  /** Throws a `MissingSecretError` unless it is open. */
  requireOpen(): void;
  /** Keys of this moment for signatures, 32 bytes each: the active one first. */
  signingKeys(purpose: SignPurpose): readonly [Buffer, ...Buffer[]];
  /** Keys of this moment for the sign-in library, base64 of 32 bytes: the active one first. */
  libraryKeys(): readonly [LibraryKey, ...LibraryKey[]];
}

export interface Sealer {
  /**
   * AES-256-GCM with a fresh iv: `sealed:`, four digits of the key number, `:`, base64url of iv, ciphertext and tag. Purpose, key
   * number and `context` (the row's id, say) are authenticated, so a value copied to another row does not open.
   */
  seal(text: string, context: string): string;
  /** Throws when the value was changed, moved to another context, or sealed with a secret that is not here. */
  open(sealed: string, context: string): string;
  /**
   * The same value under the active secret; unchanged if it is already. It keeps its iv, which the other key has not seen, so that
   * two processes make the same of it, and what is named by the iv keeps its name.
   */
  sealAgain(sealed: string, context: string): string;
}

export interface LibraryKey {
  readonly version: number;
  readonly value: string;
}

const ivBytes = 12;

export function createSecretBox(ring: KeyRing): SecretBox {
  const derived = new WeakMap<Uint8Array, Map<KeyPurposeName, Buffer>>();

  function derive({ secret }: NumberedSecret, purpose: KeyPurposeName): Buffer {
    const keys = derived.get(secret) ?? new Map<KeyPurposeName, Buffer>();
    const key = keys.get(purpose) ?? deriveKey(secret, purpose);
    derived.set(secret, keys.set(purpose, key));
    return key;
  }

  function ofAll<Item>(make: (secret: NumberedSecret) => Item): readonly [Item, ...Item[]] {
    const [active, ...others] = ring.all();
    return [make(active ?? ring.active()), ...others.map(make)];
  }

  return {
    sealer(purpose) {
      const seal = (text: string, context: string, iv: Buffer) => {
        const { number } = ring.active();
        const cipher = createCipheriv("aes-256-gcm", derive(ring.active(), purpose), iv);
        cipher.setAAD(bind(purpose, number, context));
        const bytes = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
        return `${sealedPrefix(number)}${bytes.toString("base64url")}`;
      };
      const open = (sealed: string, context: string) => {
        const { number, bytes } = parseSealed(sealed);
        const decipher = createDecipheriv(
          "aes-256-gcm",
          derive(ring.load(number), purpose),
          bytes.subarray(0, ivBytes),
        );
        decipher.setAAD(bind(purpose, number, context)).setAuthTag(bytes.subarray(-16));
        return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -16)), decipher.final()]).toString("utf8");
      };
      return {
        open,
        seal: (text, context) => seal(text, context, randomBytes(ivBytes)),
        sealAgain(sealed, context) {
          const { number, bytes } = parseSealed(sealed);
          if (number === ring.active().number) return sealed;
          return seal(open(sealed, context), context, bytes.subarray(0, ivBytes));
        },
      };
    },
    isOpen: () => ring.all().length > 0,
    requireOpen: () => void ring.active(),
    signingKeys: (purpose) => ofAll((secret) => derive(secret, purpose)),
    libraryKeys: () =>
      ofAll((secret) => ({ version: secret.number, value: derive(secret, "accounts").toString("base64") })),
  };
}

/** A keyed digest that tells whether two processes hold the same secret, and nothing about it. */
export function keyCheckOf(secret: Uint8Array): string {
  return createHmac("sha256", deriveKey(secret, "key-check")).update("sealpost").digest("base64");
}

function deriveKey(secret: Uint8Array, purpose: KeyPurposeName): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", `sealpost/${purpose}`, 32));
}

function bind(purpose: SealPurpose, number: number, context: string): Buffer {
  return Buffer.from(`sealpost/sealed\n${purpose}\n${number}\n${context}`);
}

/** The beginning of everything that is sealed with this key. */
export function sealedPrefix(number: number): string {
  if (number > keyNumberMax) throw new Error(`No key has a number above ${keyNumberMax}`);
  return `sealed:${String(number).padStart(4, "0")}:`;
}

/** Where the iv is in a sealed value, in characters: 96 random bits, which stay with it when it is sealed again. */
export const ivPlace = { start: sealedPrefix(1).length, length: 16 } as const;

function parseSealed(sealed: string): { readonly number: number; readonly bytes: Buffer } {
  const [, number, rest] = /^sealed:([0-9]{4}):([\w-]{38,})$/.exec(sealed) ?? [];
  if (number === undefined || rest === undefined) throw new Error("The value is not a sealed one");
  return { number: Number(number), bytes: Buffer.from(rest, "base64url") };
}

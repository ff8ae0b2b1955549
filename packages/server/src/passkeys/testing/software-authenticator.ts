import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type { NewAnswer, SignedAnswer } from "../passkey-schemas.ts";

export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  /** Without it the authenticator has not checked who uses it. */
  readonly isUserVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | null;
  /** The bytes of the id that the authenticator says, where the browser says another. */
  readonly attestedIdBytes?: number;
  readonly attestation?: "none" | "self" | "forged" | "certificate";
}

export interface Options {
  readonly challenge: string;
}

interface CreationOptions extends Options {
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface RequestOptions extends Options {
  readonly rpId: string;
}

/**
 * A browser and an authenticator with one passkey, in software: answers the options of a ceremony as Web Authentication says
 * (sections 5.8.1, 6.1, 6.5), or not quite.
 */
export function createSoftwareAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const credentialId = randomBytes(16);
  let userHandle = "AAAA";
  let counter = 0;

  function writeClientData(type: string, options: Options, deviation: Deviation): Buffer {
    const { challenge = options.challenge } = deviation;
    return Buffer.from(
      JSON.stringify({
        type: deviation.type ?? type,
        challenge,
        origin: deviation.origin ?? origin,
        crossOrigin: false,
      }),
    );
  }

  function writeData(rpId: string, { isUserVerified = true, ...deviation }: Deviation, credential?: Buffer): Buffer {
    const tail = Buffer.alloc(5);
    tail.writeUInt8(0x01 | (isUserVerified ? 0x04 : 0) | (credential === undefined ? 0 : 0x40));
    tail.writeUInt32BE(deviation.counter ?? counter, 1);
    const hash = createHash("sha256")
      .update(deviation.rpId ?? rpId)
      .digest();
    return Buffer.concat([hash, tail, credential ?? Buffer.alloc(0)]);
  }

  function writeCredential({ attestedIdBytes }: Deviation): Buffer {
    const { x = "", y = "" } = publicKey.export({ format: "jwk" });
    const key = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, "base64url"))],
      [-3, new Uint8Array(Buffer.from(y, "base64url"))],
    ]);
    const id = attestedIdBytes === undefined ? credentialId : randomBytes(attestedIdBytes);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    return Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(key)]);
  }

  const signOver = (data: Buffer, clientData: Buffer) =>
    sign("sha256", Buffer.concat([data, createHash("sha256").update(clientData).digest()]), privateKey);

  return {
    credentialId: credentialId.toString("base64url"),
    create(options: CreationOptions, deviation: Deviation = {}): NewAnswer {
      userHandle = options.user.id;
      const clientData = writeClientData("webauthn.create", options, deviation);
      const data = writeData(options.rp.id, deviation, writeCredential(deviation));
      const { attestation = "none" } = deviation;
      const signature = signOver(data, clientData);
      if (attestation === "forged") signature.writeUInt8(signature.readUInt8(12) ^ 1, 12);
      const statement = new Map<string, unknown>(
        attestation === "none"
          ? []
          : [
              ["alg", -7],
              ["sig", new Uint8Array(signature)],
            ],
      );
      if (attestation === "certificate") statement.set("x5c", [new Uint8Array(randomBytes(64))]);
      const object = new Map<string, unknown>([
        ["fmt", attestation === "none" ? "none" : "packed"],
        ["attStmt", statement],
        ["authData", new Uint8Array(data)],
      ]);
      return {
        id: credentialId.toString("base64url"),
        clientDataJSON: clientData.toString("base64url"),
        attestationObject: Buffer.from(isoCBOR.encode(object as never)).toString("base64url"), // maps, texts and bytes
        transports: ["internal"],
      };
    },
    get(options: RequestOptions, deviation: Deviation = {}): SignedAnswer {
      const clientData = writeClientData("webauthn.get", options, deviation);
      const data = writeData(options.rpId, deviation);
      return {
        id: credentialId.toString("base64url"),
        clientDataJSON: clientData.toString("base64url"),
        authenticatorData: data.toString("base64url"),
        signature: signOver(data, clientData).toString("base64url"),
        userHandle: deviation.userHandle === undefined ? userHandle : deviation.userHandle,
      };
    },
    /** Makes it count its signatures. */
    countFrom(start: number) {
      counter = start;
    },
  };
}

export type SoftwareAuthenticator = ReturnType<typeof createSoftwareAuthenticator>;

import { encodeBase64Url } from "@sealpost/wire";
import { identityToRecipient } from "age-encryption";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import {
  commitmentOf,
  createChallengeWith,
  type DeviceChallenge,
  type DeviceRequest,
  type DeviceReveal,
  deviceCode,
  formatDeviceCode,
} from "../device.ts";
import { findPersonalKey } from "./people.ts";

/** One of vectors/devices.json: everything that follows from the first members. */
export interface DeviceVector {
  readonly name: string;
  readonly request: DeviceRequest;
  readonly reveal: DeviceReveal;
  readonly secret: string;
  readonly challenge: DeviceChallenge;
  /** To scan. */
  readonly scanned: string;
  /** To compare. */
  readonly code: string;
}

const requestId = "dev_01jd8z0000e8m9a4v5c6d7e8f9";
const personId = "acc_01jd8z0000e8m9a4v5c6d7e8f9";

export async function deviceVectors(): Promise<readonly DeviceVector[]> {
  const owner = await findPersonalKey("hybrid owner");
  const device = await findPersonalKey("hybrid reader");
  const draw = async (use: string) => encodeBase64Url((await derive("sheet", `device ${use}`, 32)).subarray(0, 16));
  const reveal = { recipient: await identityToRecipient(device.identity), nonce: await draw("nonce") };
  const [secret, nonce, commitment] = await Promise.all([draw("secret"), draw("challenge"), commitmentOf(reveal)]);
  const request = { requestId, personId, commitment };
  const { recipient, signingKey } = owner;
  const make = async (name: string, used?: string): Promise<DeviceVector> => {
    const challenge = await createChallengeWith(request, { recipient, signingKey, nonce }, used);
    const code = await deviceCode(request, challenge, reveal);
    return { name, request, reveal, secret, challenge, scanned: formatDeviceCode({ commitment, secret }), code };
  };
  return [await make("codes are compared"), await make("the code was scanned", secret)];
}

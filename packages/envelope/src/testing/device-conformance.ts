import devicesJson from "../../../wire/vectors/devices.json" with { type: "json" };
import { encryptTo } from "../age-file.ts";
import { isChallengeRight } from "../device.ts";
import { openDeviceHeads } from "../device-heads.ts";
import { RefusalError } from "../refusal.ts";
import type { ChallengeVector, DeviceHeadsVector, DeviceVectors } from "./device-vectors.ts";
import { findPersonalKey } from "./people.ts";

// Our own generator wrote this file from this type; JSON only widens the texts.
export const devices = devicesJson as unknown as DeviceVectors;

/** The outcome of a challenge, in the vector's own words. */
export async function tryChallenge(
  isRight: typeof isChallengeRight,
  { request, challenge, secret, isScanned }: ChallengeVector,
): Promise<ChallengeVector["outcome"]> {
  return (await isRight(request, challenge, isScanned ? secret : undefined)) ? "taken" : "wrong";
}

/** The same of heads, sealed for the new device of the vectors. */
export async function tryHeads(open: typeof openDeviceHeads, { lines, expected }: DeviceHeadsVector): Promise<string> {
  const { identity, recipient } = await findPersonalKey("hybrid reader");
  const opened = await open(await encryptTo([recipient], lines), identity, expected);
  return opened instanceof RefusalError || "reason" in opened ? String(Reflect.get(opened, "reason")) : "opened";
}

export const oursOfDevices = { isChallengeRight, openDeviceHeads };

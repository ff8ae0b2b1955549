import { encodeBase64Url } from "@sealpost/wire";
import { client } from "../api/client.ts";
import { withFreshSession } from "../session/fresh-session.tsx";
import type { DeviceApi } from "./device-api.ts";

/** The routes of this instance. Giving the key away asks for the password where the sign-in is too long ago. */
export const deviceApi: DeviceApi = {
  find: async () => (await client.deviceRequests.find()) ?? undefined,
  create: (commitment) => client.deviceRequests.create(commitment),
  challenge: (requestId, challenge) => client.deviceRequests.challenge(requestId, challenge),
  reveal: (requestId, reveal) => client.deviceRequests.reveal(requestId, reveal),
  answer: (requestId, { copy, heads }) =>
    withFreshSession(() =>
      client.deviceRequests.answer(requestId, { copy: encodeBase64Url(copy), heads: encodeBase64Url(heads) }),
    ),
  end: (requestId) => client.deviceRequests.end(requestId),
};

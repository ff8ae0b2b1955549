import type { Body, CallOptions, Calls } from "./call.ts";

const url = "/api/account/device-requests";

/**
 * A personal key on its way to another device of the person who asks (specification, section 21). The service passes on what the devices say:
 * check all of it with `@sealpost/envelope`. These endpoints want a session token.
 */
export function createDeviceRequestsClient({ call }: Calls) {
  const inRequest = (requestId: string) => ({ request_id: requestId });
  return {
    /** The open one, `null` without. */
    find: async (options?: CallOptions) => (await call(`GET ${url}`, {}, options)).request,
    /** By the new device: ends the one before, and itself after ten minutes. */
    create: async (commitment: string, options?: CallOptions) => {
      const { request } = await call(`POST ${url}`, { body: { commitment } }, options);
      if (request === null) throw new Error("The service gives back what it has made");
      return request;
    },
    /** By a device on which the key is open. Once, as are the next two. */
    challenge: async (
      requestId: string,
      body: Body<`PUT ${typeof url}/{request_id}/challenge`>,
      options?: CallOptions,
    ) => (await call(`PUT ${url}/{request_id}/challenge`, { path: inRequest(requestId), body }, options)).request,
    /** By the new device. */
    reveal: async (requestId: string, body: Body<`PUT ${typeof url}/{request_id}/reveal`>, options?: CallOptions) =>
      (await call(`PUT ${url}/{request_id}/reveal`, { path: inRequest(requestId), body }, options)).request,
    /** By the device that has sent the challenge. */
    answer: async (requestId: string, body: Body<`PUT ${typeof url}/{request_id}/answer`>, options?: CallOptions) =>
      (await call(`PUT ${url}/{request_id}/answer`, { path: inRequest(requestId), body }, options)).request,
    end: async (requestId: string, options?: CallOptions) => {
      await call(`DELETE ${url}/{request_id}`, { path: inRequest(requestId) }, options);
    },
  };
}

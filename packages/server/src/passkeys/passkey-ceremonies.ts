import type { FastifyReply, FastifyRequest } from "fastify";
import type { PasskeyCredential, PasskeyStore } from "../accounts/passkey-store.ts";
import { recordRepeated } from "../audit-log/audit-log-store.ts";
import type { Database } from "../database/database.ts";
import { isFromOwnPage } from "../http/own-page.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import {
  type Ceremony,
  type CeremonyCookies,
  ceremonyMilliseconds,
  createRandomValue,
  findParty,
  type Party,
} from "./ceremony.ts";
import { checkSigned, refused } from "./check-answer.ts";
import type { SignedAnswer } from "./passkey-schemas.ts";

export interface PasskeyCeremonyDependencies {
  readonly passkeys: PasskeyStore;
  readonly ceremonyCookies: CeremonyCookies;
  readonly database: Database;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

type Asked = Pick<Ceremony, "purpose" | "session"> & { readonly userHandle?: string };

export interface PasskeyCeremonies {
  begin(request: FastifyRequest, reply: FastifyReply, asked: Asked): Ceremony;
  /** The ceremony that this browser began for this purpose, and that the answer names. It ends with the answer to this request. */
  receive(
    request: FastifyRequest & { readonly body: Pick<SignedAnswer, "clientDataJSON"> },
    reply: FastifyReply,
    asked: Omit<Asked, "userHandle">,
  ): Ceremony;
  /** Throws when the challenge was answered before. */
  useUp(ceremony: Ceremony): Promise<void>;
  /** The passkey that has signed; throws unless everything is right. */
  findSigner(answer: SignedAnswer, ceremony: Ceremony): Promise<PasskeyCredential>;
}

export function createPasskeyCeremonies(dependencies: PasskeyCeremonyDependencies): PasskeyCeremonies {
  const { passkeys, ceremonyCookies, database, address, clock } = dependencies;
  return {
    begin(request, reply, asked) {
      const ceremony: Ceremony = {
        ...asked,
        challenge: createRandomValue(),
        party: requireParty(request),
        startedAt: clock.now(),
      };
      const { cookie } = request.headers;
      for (const line of ceremonyCookies.begin(ceremony, cookie, clock.now())) reply.header("set-cookie", line);
      reply.header("cache-control", "no-store");
      return ceremony;
    },
    receive(request, reply, { purpose, session }) {
      const { origin } = requireParty(request);
      reply.header("cache-control", "no-store");
      const challenge = readChallenge(request.body.clientDataJSON);
      const ceremony = ceremonyCookies.find(challenge, request.headers.cookie, clock.now());
      if (ceremony === undefined) throw expired();
      reply.header("set-cookie", ceremonyCookies.end(ceremony));
      const isSame = ceremony.session?.id === session?.id && ceremony.session?.personId === session?.personId;
      if (ceremony.purpose !== purpose || ceremony.party.origin !== origin || !isSame) throw refused();
      return ceremony;
    },
    useUp,
    async findSigner(answer, ceremony) {
      const passkey = await passkeys.findByCredential(answer.id);
      const isForeign = ceremony.session !== undefined && ceremony.session.personId !== passkey?.personId;
      if (passkey === undefined || isForeign) throw passkeyUnknown();
      // The authenticator's name for the person: at a sign-in nothing else says who it is (Web Authentication, section 7.2).
      const mayLeaveOut = ceremony.purpose === "confirm";
      if (answer.userHandle !== passkey.userHandle && !(mayLeaveOut && answer.userHandle === null)) throw refused();
      const counter = await checkSigned(answer, ceremony, passkey);
      await useUp(ceremony);
      if (await passkeys.use(passkey.id, clock.now(), counter)) return passkey;
      const [actor, occurredAt] = [{ type: "nobody" } as const, clock.now()];
      await recordRepeated(database, {
        ...{ actor, occurredAt },
        accountId: passkey.personId,
        action: "passkey.refused",
      });
      throw new Problem(
        "forbidden",
        "This passkey was refused, since a copy of it may have been used: sign in with your password, remove it, and add another one",
      );
    },
  };

  async function useUp({ challenge, startedAt }: Ceremony): Promise<void> {
    if (!(await passkeys.useChallenge(challenge, clock.now(), startedAt + 2 * ceremonyMilliseconds))) throw expired();
  }

  function requireParty(request: FastifyRequest): Party {
    const { origin } = request.headers;
    if (origin === undefined || !isFromOwnPage(request, address))
      throw new Problem("forbidden", "This request came from another site");
    const party = findParty(origin);
    if (party === undefined)
      throw new Problem(
        "conflict",
        "Passkeys need an address with a name and HTTPS, or localhost. The server's operator sets it with SEALPOST_BASE_URL.",
      );
    return party;
  }
}

/** The challenge that the answer says it is for; what it has signed is checked against the ceremony's own. */
function readChallenge(clientDataJSON: string): string | null {
  try {
    const { challenge }: { readonly challenge?: unknown } = Object(
      JSON.parse(Buffer.from(clientDataJSON, "base64url").toString()),
    );
    return typeof challenge === "string" ? challenge : null;
  } catch (error) {
    throw refused(error);
  }
}

function expired(): Problem {
  return new Problem("forbidden", "That took too long, or was answered before. Please try again.");
}

export function passkeyUnknown(): Problem {
  return new Problem(
    "unauthorized",
    "This passkey is not known here, or was removed: sign in with your password or another passkey",
  );
}

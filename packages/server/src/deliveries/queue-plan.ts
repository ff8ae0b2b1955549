import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { keepPlanned } from "../database/prepared-statements.ts";
import { endOf, partsOf } from "../webhooks/destination.ts";
import type { DueForm, Grant } from "./grant.ts";
import { type ClaimScope, isNotOneOf, ofAny, ofFirst } from "./queue-claim.ts";
import { countDue } from "./queue-shards.ts";

export interface ClaimPlan {
  readonly grants: readonly Grant[];
  readonly lastDestination: string;
}

/** Where walks left the organizations that have more due than room: the destination by the organization's id. */
export type Places = Map<string, string>;

/** A page of the walk. */
const destinationsAtOnce = 16;
/** A claim gives up here on destinations without room that no list names, and the next continues after them. */
const pagesMax = 32;
/** The number of remembered places. */
const placesMax = 10_000;

/**
 * Finds the destinations that have something due, and what each of them may get. Outside of the transaction that claims: what is
 * not due any more by then is not claimed. The walk passes nothing that waits for its time (`compileLettingIn`). It goes from destination to destination along the index and never along a destination's rows,
 * so that 100,000 due rows of one dead destination cost the others nothing. Nor do thousands of destinations of one organization: where a
 * page ends without room, the walk continues with the next organization, and later enters this one where it left it.
 *
 * Organizations take turns: where there was not room for all, the next walk begins after the organization that got something last.
 */
export async function planClaims(database: Database, scope: ClaimScope, places: Places): Promise<ClaimPlan> {
  const grants: Grant[] = [];
  const { destinationLimits, afterDestination } = scope;
  let lastSeen = afterDestination;
  let isContended = false;
  let isCutShort = false;
  /** The destination that got something last, and whether its organization may have more due than that. */
  const last = { destination: "", hasMore: false };
  const left = new Set<string>();
  let { slots, retrySlots } = scope;
  // The second round is for first attempts only, and only if retries could have had all the slots that they may have.
  for (const onlyFirst of [false, true]) {
    if (onlyFirst && retrySlots > 0) break;
    const countLeft = () => (onlyFirst ? slots : Math.min(slots, retrySlots));
    let from: WalkPosition | undefined = beginAfter(afterDestination);
    for (let page = 0; page < pagesMax && from !== undefined && countLeft() > 0; page++) {
      const found: readonly DueDestination[] = await findDestinations(database, scope, from, onlyFirst);
      const { destinations, entry } = cutAtPlace(found, from, places);
      let hasRoom = true;
      for (const { destination, due, forms } of destinations) {
        if (countLeft() > 0) lastSeen = destination;
        const room = Math.min(countLeft(), destinationLimits.room(destination), due);
        hasRoom = room > 0;
        isContended ||= room < due;
        if (!hasRoom) {
          last.hasMore ||= isOfOne(destination, last.destination);
          if (countLeft() <= 0) break;
          continue;
        }
        last.destination = destination;
        last.hasMore = false;
        destinationLimits.taken(destination, room);
        slots -= room;
        // Each of them may turn out to be a retry. Were there fewer, other retries wait for the next claim, a second at most.
        if (!onlyFirst) retrySlots -= room;
        grants.push({ destination, room, onlyFirst, ...(forms && { forms }) });
      }
      // The page may have ended before the organization did.
      if (countLeft() <= 0 && found.length === destinationsAtOnce)
        last.hasMore ||= found.at(-1)?.destination === last.destination;
      from =
        entry ?? (found.length < destinationsAtOnce ? undefined : continueAfter(found.at(-1), hasRoom, places, left));
    }
    isContended ||= countLeft() <= 0;
    isCutShort = from !== undefined && countLeft() > 0;
  }
  // Those beyond the last page have their turn first, whatever others got.
  if (isCutShort) return { grants, lastDestination: lastSeen };
  if (last.destination === "") return { grants, lastDestination: afterDestination };
  if (!isContended) return { grants, lastDestination: last.destination };
  const { organizationId } = partsOf(last.destination);
  if (last.hasMore && !left.has(organizationId)) remember(places, organizationId, last.destination);
  return { grants, lastDestination: endOf(organizationId) };
}

function isOfOne(one: string, other: string): boolean {
  return partsOf(one).organizationId === partsOf(other).organizationId;
}

function beginAfter(destination: string): WalkPosition {
  // After the end of an organization none is being walked along.
  const organizationId = destination.includes(" ") ? partsOf(destination).organizationId : undefined;
  return { destination, isRound: false, organizationId };
}

/** After `destination`; once the walk has come round, up to the destination that it began after. */
interface WalkPosition {
  readonly destination: string;
  readonly isRound: boolean;
  /** The organization that is being walked along; `undefined` after one that was left before its end. */
  readonly organizationId: string | undefined;
}

/** The destinations of a page up to an organization that is to be entered elsewhere, and where. */
function cutAtPlace(
  found: readonly DueDestination[],
  from: WalkPosition,
  places: Places,
): { readonly destinations: readonly DueDestination[]; readonly entry?: WalkPosition } {
  let current = from.organizationId;
  for (const [index, { destination, round }] of found.entries()) {
    const { organizationId } = partsOf(destination);
    if (organizationId === current) continue;
    const place = places.get(organizationId);
    // Where nothing follows the place, the next walk enters the organization at its beginning.
    places.delete(organizationId);
    if (place !== undefined && destination <= place)
      return {
        destinations: found.slice(0, index),
        entry: { destination: place, isRound: round === 2, organizationId },
      };
    current = organizationId;
  }
  return { destinations: found };
}

function continueAfter(
  last: DueDestination | undefined,
  hasRoom: boolean,
  places: Places,
  left: Set<string>,
): WalkPosition | undefined {
  if (last === undefined) return undefined;
  const { destination, round } = last;
  const { organizationId } = partsOf(destination);
  const isRound = round === 2;
  if (hasRoom) return { destination, isRound, organizationId };
  remember(places, organizationId, destination);
  left.add(organizationId);
  return { destination: endOf(organizationId), isRound, organizationId: undefined };
}

function remember(places: Places, organizationId: string, destination: string): void {
  places.delete(organizationId); // so that the most recent ones stand last
  places.set(organizationId, destination);
  const [oldest] = places.keys();
  if (places.size > placesMax && oldest !== undefined) places.delete(oldest);
}

interface DueDestination {
  readonly destination: string;
  readonly round: number;
  /** How many rows are due, counted no further than a destination may get. */
  readonly due: number;
  readonly forms?: readonly DueForm[];
}

async function findDestinations(
  database: Database,
  scope: ClaimScope,
  position: WalkPosition,
  onlyFirst: boolean,
): Promise<readonly DueDestination[]> {
  if (isDistributed(database)) return countDue(database, scope, position, onlyFirst);
  const { now, fullDestinations, destinationLimits, afterDestination } = scope;
  const { destination, isRound } = position;
  const condition = sql.raw(onlyFirst ? ofFirst : ofAny);
  const isDue = sql`q.destination = destinations.destination and q.due_at <= ${now} and ${condition}`;
  // `limit 1` instead of `exists`, which PostgreSQL turns into a join along all rows; ordered as the destinations' index is, since where statistics know
  // few destinations that of due_at alone seems as good, whose rows are everybody's.
  const query = sql<DueDestination>`
    with recursive destinations(destination, round) as (
      select (select min(destination) from delivery_queue where ${condition} and destination > ${destination}), ${isRound ? sql`2` : sql`1`}
      union all
      select
        case when destination is null then (select min(destination) from delivery_queue where ${condition})
          else (select min(q.destination) from delivery_queue q where ${condition} and q.destination > destinations.destination) end,
        case when destination is null then 2 else round end
      from destinations where round = 1 or destination < ${afterDestination}
    )
    select destination, round,
      (select count(*) from (
        select 1 from delivery_queue q where ${isDue} order by q.due_at, q.delivery_id limit ${destinationLimits.roomMax}) as few) as due
    from destinations
    where destination is not null and (round = 1 or destination <= ${afterDestination}) and ${isNotOneOf(database, "destination", fullDestinations)}
      and (select 1 from delivery_queue q where ${isDue} order by q.due_at, q.delivery_id limit 1) is not null
    limit ${destinationsAtOnce}`;
  const { rows } = await database.executeQuery(keepPlanned(query.compile(database)));
  return rows;
}

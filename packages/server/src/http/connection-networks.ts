import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * States of a connection by what it waits for, in the order in which it makes room for others: a reader who takes nothing of an answer, or next to
 * nothing; a request that is not whole, or none; a reader who takes some of it; the service itself.
 */
export const connectionStates = ["stalled", "unfinished", "reading", "owed"] as const;
export type ConnectionState = (typeof connectionStates)[number];

/** A network of a client, and how many times as much as an address it may hold. */
export interface SharedNetwork {
  readonly text: string;
  readonly share: number;
}

export interface RequestPair {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Progress of a client with its answers, while some of them is there that it has not. */
export interface Reading {
  taken: number;
  takenAt: number;
  /** Where the time begins over which the rate is looked at. */
  from: { readonly taken: number; readonly at: number };
}

export interface Connection {
  readonly socket: Socket;
  /** The address of the client of its last request, which a proxy names. */
  address: string | undefined;
  /** The narrowest first. */
  networks: readonly ConnectionNetwork[];
  state: ConnectionState;
  /** Requests that are being answered, the oldest first. */
  readonly pairs: Set<RequestPair>;
  /** Memory that these hold. */
  bytes: number;
  reading: Reading | undefined;
}

export interface ConnectionNetwork extends SharedNetwork {
  /** Each in the order in which they came into the state. */
  readonly connections: Readonly<Record<ConnectionState, Set<Connection>>>;
  count: number;
  bytes: number;
}

export interface ConnectionNetworks {
  /** Everybody, as one network. */
  readonly all: ConnectionNetwork;
  enter(connection: Connection, networks: readonly SharedNetwork[]): void;
  leave(connection: Connection): void;
  /** To the end of the connections with that state, also where it has it. */
  move(connection: Connection, state: ConnectionState): void;
  addBytes(connection: Connection, bytes: number): void;
  /** The address that holds most, of the network that does for its share; `undefined` where that is no more than so much. */
  findMost(what: "count" | "bytes", atLeast: number): ConnectionNetwork | undefined;
}

/** Which networks connections come from, and in which state each is. */
export function createConnectionNetworks(): ConnectionNetworks {
  const known = new Map<string, ConnectionNetwork>();
  const all = createNetwork({ text: "", share: Number.POSITIVE_INFINITY });

  return {
    all,
    enter(connection, networks) {
      connection.networks = networks.map(find);
      for (const network of [...connection.networks, all]) {
        network.connections[connection.state].add(connection);
        network.count += 1;
        network.bytes += connection.bytes;
      }
    },
    leave(connection) {
      for (const network of [...connection.networks, all]) {
        network.connections[connection.state].delete(connection);
        network.count -= 1;
        network.bytes -= connection.bytes;
        if (network.count === 0) known.delete(network.text);
      }
    },
    move(connection, state) {
      for (const { connections } of [...connection.networks, all]) {
        connections[connection.state].delete(connection);
        connections[state].add(connection);
      }
      connection.state = state;
    },
    addBytes(connection, bytes) {
      connection.bytes += bytes;
      for (const network of [...connection.networks, all]) network.bytes += bytes;
    },
    findMost(what, atLeast) {
      const most = findMostOf(known.values(), what, atLeast);
      // An address is in no narrower network; who shares only the wide one with it loses nothing before it does.
      return most === undefined || most.share === 1 ? most : findMostOf(addressesOf(most), what, 0);
    },
  };

  function find(shared: SharedNetwork): ConnectionNetwork {
    const network = known.get(shared.text) ?? createNetwork(shared);
    known.set(shared.text, network);
    return network;
  }
}

function createNetwork({ text, share }: SharedNetwork): ConnectionNetwork {
  const none = () => new Set<Connection>();
  const connections = { stalled: none(), unfinished: none(), reading: none(), owed: none() };
  return { text, share, connections, count: 0, bytes: 0 };
}

function findMostOf(
  networks: Iterable<ConnectionNetwork>,
  what: "count" | "bytes",
  atLeast: number,
): ConnectionNetwork | undefined {
  let [most, load]: [ConnectionNetwork | undefined, number] = [undefined, atLeast];
  for (const network of networks)
    if (network[what] / network.share > load) [most, load] = [network, network[what] / network.share];
  return most;
}

function* addressesOf({ connections }: ConnectionNetwork): Generator<ConnectionNetwork> {
  for (const state of connectionStates)
    for (const { networks } of connections[state]) if (networks[0] !== undefined) yield networks[0];
}

import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { PeerSource } from "../../lib/http/client-ip.ts";
import type { TopLevelChanges } from "../../lib/values/json/json-splice.ts";
import type { Caller } from "../call/caller.ts";
import type { ClientBody, Endpoint, PathParameters } from "../call/endpoint.ts";
import type { CallTiming, RequestTimeouts } from "../call/progress.ts";

/** The HTTP server of a request, as far as the gateway needs it. */
export type GatewayServer = PeerSource & RequestTimeouts;

/** A request that arrived at an endpoint. */
export type Arrival = Readonly<{
  request: Request;
  server: GatewayServer | null;
  endpoint: Endpoint;
  /** The variable parts of the path. */
  path?: PathParameters;
  /** The only channel that can serve the request. */
  only?: ChannelEntry;
  /** Another model call of a request that counts toward the limits of its API key already. */
  isAdmitted?: true;
  /** A user signed in to the console, with the body already read and the changes to it. */
  signedIn?: Readonly<{ caller: Caller; timing: CallTiming; body: ClientBody; changes: TopLevelChanges }>;
}>;

export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

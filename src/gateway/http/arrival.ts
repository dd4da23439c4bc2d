import type { ChannelEntry } from "../../domain/channels/entry.ts";
import type { PeerSource } from "../../lib/http/client-ip.ts";
import type { TopLevelChanges } from "../../lib/values/json-splice.ts";
import type { Caller } from "../auth/authenticate.ts";
import type { CallTiming } from "../call/call-timing.ts";
import type { ClientBody } from "./client-body.ts";
import type { Endpoint, PathParameters } from "./endpoints/endpoint.ts";

/** The server a request came through, as far as the gateway needs it. */
export type GatewayServer = PeerSource & { timeout(request: Request, seconds: number): void };

/** A request that arrived at an endpoint. */
export type Arrival = Readonly<{
  request: Request;
  server: GatewayServer | null;
  endpoint: Endpoint;
  /** What the path says. */
  path?: PathParameters;
  /** The only channel that can serve it. */
  only?: ChannelEntry;
  /** A caller who is signed in to the console, with the body as it was read and what of it is changed. */
  signedIn?: Readonly<{ caller: Caller; timing: CallTiming; body: ClientBody; changes: TopLevelChanges }>;
}>;

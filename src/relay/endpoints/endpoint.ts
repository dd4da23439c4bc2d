import type { JsonObject } from "../../dialects/json.ts";
import type { Capability } from "../../providers/provider.ts";

/** One family of calls that clients make: what it needs of a provider, and how its requests are read. */
export type Endpoint = Readonly<{
  capability: Capability;
  /** Clients may ask for a stream. */
  streams: boolean;
  /** An answer without any content and without completion tokens costs nothing. */
  emptyIsFree: boolean;
  /** Throws RelayError when the request lacks what the format demands. */
  check(body: JsonObject): void;
}>;

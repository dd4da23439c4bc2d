import { overrideChanges } from "../../domain/channels/routing/overrides/apply-overrides.ts";
import type { JsonObject } from "../../formats/json.ts";
import type { Call } from "./call.ts";
import type { Route } from "./route.ts";

/** The top-level members that the rules of the route's channel change in a body; undefined for those that go. */
export const ruledChanges = (
  call: Pick<Call, "fallbackFrom" | "request" | "summary">,
  { channel, upstreamModel }: Pick<Route, "channel" | "upstreamModel">,
  body: Readonly<JsonObject>,
): Readonly<Record<string, unknown>> =>
  overrideChanges(channel.overrideRules ?? [], body, {
    model: upstreamModel,
    // Of a route its name: rules can be about one.
    requestedModel: call.fallbackFrom ?? call.summary.model,
    requestPath: new URL(call.request.url).pathname,
    headers: call.request.headers,
  });

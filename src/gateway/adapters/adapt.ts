import type { CallParams } from "../../providers/contract/provider.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import { GatewayError } from "../call/errors.ts";
import { boundedNames, type Route } from "../upstream/bind-channel.ts";
import { buildRequest } from "../upstream/build-request.ts";
import type { Outgoing } from "../upstream/upstream.ts";
import type { Adapter, EncodedRequest } from "./adapter.ts";
import { selectAdapter } from "./select-adapter.ts";

/** The request in the form that one upstream accepts, and the adapter that reads its response. */
export type AdaptedRequest = Readonly<{
  adapter: Adapter;
  ask: CallParams;
  outgoing: Outgoing;
}>;

/**
 * Writes the call's request in the format of its route. Records the final model name and the dropped fields in the
 * route. Throws or rejects DecodeError, GatewayError.
 */
export function adapt(context: GatewayContext, call: Call, bound: Route): AdaptedRequest | Promise<AdaptedRequest> {
  const adapter = selectAdapter(context, call, bound);
  const encoded = adapter.encode();
  return encoded instanceof Promise
    ? encoded.then((request) => addressed(context, call, bound, adapter, request))
    : addressed(context, call, bound, adapter, encoded);
}

/** The encoded request with its URL and headers. */
function addressed(
  context: GatewayContext,
  call: Call,
  bound: Route,
  adapter: Adapter,
  encoded: EncodedRequest,
): AdaptedRequest | Promise<AdaptedRequest> {
  const { ask } = encoded;
  const dropped = boundedNames(encoded.dropped);
  const logsContent = context.services.settings.get("LogChatContentEnabled");
  call.attempts.route = {
    ...{ ...bound, upstreamModel: ask.model, dropped },
    ...(logsContent && { sent: encoded.body }),
  };
  refuseLoss(call, dropped);
  const built = buildRequest(context, call, encoded, bound);
  return built instanceof Promise
    ? built.then((outgoing) => ({ adapter, ask, outgoing }))
    : { adapter, ask, outgoing: built };
}

/** Rejects a request with dropped fields if the client or its key asks for that (header `X-Sluice-Strict`). */
function refuseLoss({ caller, request }: Call, dropped: readonly string[]): void {
  if (dropped.length === 0) return;
  if (!caller.token?.strict && !isOn(request.headers.get("x-sluice-strict"))) return;
  const names = dropped.join(", ");
  throw new GatewayError(
    400,
    "unsupported_parameters",
    { code: "gateway_inexpressible", params: { names } },
    {
      type: "invalid_request_error",
      param: dropped[0] ?? "",
    },
  );
}

const isOn = (header: string | null): boolean =>
  header !== null && header !== "" && header !== "0" && header !== "false";

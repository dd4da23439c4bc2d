import type { AdaptedRequest } from "../adapters/adapt.ts";
import type { Call } from "../call/call.ts";
import type { GatewayContext } from "../call/context.ts";
import { refuseIfClientLeft } from "../http/client-presence.ts";
import { drainsOnDisconnect } from "../streaming/broken-stream.ts";
import { adaptAfterRejection } from "./adapt-after-rejection.ts";
import type { RunningAttempt } from "./attempt.ts";
import { rejectedByUpstream } from "./attempt-failure.ts";
import { exhaustedMs, retryAfterIn } from "./provider-limits.ts";
import { readErrorText } from "./read-body.ts";
import { type Received, receive } from "./receive.ts";

/**
 * Sends an adapted request and receives its response up to where the client can get its first byte. Null: the upstream
 * rejected something optional, and the request is worth adapting and resending once. Rejects AttemptFailure, or with
 * the connection's error.
 */
export async function send(
  context: GatewayContext,
  call: Call,
  attempt: RunningAttempt,
  request: AdaptedRequest,
): Promise<Received | null> {
  const { route, exchange, entry } = attempt;
  const { channel, key } = route;
  refuseIfClientLeft(call);
  call.client.onLeave = () => {
    if (!drainsOnDisconnect(channel)) exchange.stop("client_left");
  };
  const response = await context.upstream.send(request.outgoing, exchange);
  entry.status = response.status;
  const limitedMs = exhaustedMs(response.headers, Date.now());
  if (limitedMs !== null) context.coolDown.limited(channel.id, key, limitedMs);
  if (response.ok) return receive(context, call, attempt, request, response);
  const text = await readErrorText(response, exchange, context.services.config.streamingTimeoutMs);
  const error = request.adapter.readError(response.status, text);
  const rejection = { status: response.status, error, params: request.ask, key };
  if (adaptAfterRejection(context.limitations, route, rejection)) {
    exchange.expectHead();
    return null;
  }
  throw rejectedByUpstream(
    channel,
    key,
    error.status ?? response.status,
    error,
    retryAfterIn(response.headers, Date.now()),
  );
}

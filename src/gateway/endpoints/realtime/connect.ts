import { failureNote } from "../../../billing/types.ts";
import { addOwnHeaders } from "../../../domain/channels/routing/overrides/own-headers.ts";
import { proxyOf, userAgentOf } from "../../../domain/channels/upstream/request-options.ts";
import type { ReadError } from "../../../formats/openai-chat/errors.ts";
import { HandshakeRefused } from "../../../lib/outbound/dial-websocket.ts";
import { TokenRefused } from "../../../providers/contract/token-refused.ts";
import type { Call } from "../../call/call.ts";
import type { Choice, Route } from "../../call/route.ts";
import type { Uses } from "../../call/services.ts";
import type { CallPrices } from "../../money/price.ts";
import { AttemptFailure, noResponse, rejectedByUpstream, withoutToken } from "../../upstream/attempt-failure.ts";
import { bindChannel, headerFactsOf, requestedVersionOf } from "../../upstream/route.ts";
import type { UpstreamTools } from "../../upstream/upstream.ts";

/** What these functions work with. */
export type ConnectContext = Uses<"config"> & Pick<UpstreamTools, "coolDown" | "dialWebSocket" | "signing">;

/** A session's connection to its upstream, paused. */
export type Connected = Readonly<{ socket: Bun.WebSocket; route: Route }>;

const BETA_PROTOCOL = "openai-beta.realtime-v1";
const HANDSHAKE_MS = 30_000;

/** Opens the connection to one channel. Rejects AttemptFailure; records the outcome in the call's attempts. */
export async function connect(
  context: ConnectContext,
  call: Call,
  prices: CallPrices,
  choice: Choice,
  client: Headers,
  signal: AbortSignal,
): Promise<Connected> {
  const { channel, key } = choice;
  const { timing, attempts } = call.progress;
  const startMs = timing.elapsedMs;
  const entry = attempts.begin(choice, startMs);
  context.coolDown.begin(channel.id, key);
  try {
    const route = bindChannel(call, prices, choice);
    attempts.latest = route;
    const { provider, upstreamModel } = route;
    const { capability, translatesTo = capability } = call.endpoint;
    const options = {
      capability: provider.capabilities.includes(capability) ? capability : translatesTo,
      dialect: "openai-chat",
      model: upstreamModel,
      requestedModel: call.summary.model,
      stream: true,
      key,
    } as const;
    const requestedVersion = requestedVersionOf(call.request.url);
    const ask = requestedVersion === null ? options : { ...options, requestedVersion };
    const headers: Record<string, string> = {
      "user-agent": userAgentOf(channel),
      ...provider.authHeaders(channel, key, ask),
      ...(requestsBeta(client) && { "openai-beta": "realtime=v1" }),
    };
    if (channel.ownHeaders) addOwnHeaders(headers, channel.ownHeaders, headerFactsOf(call));
    const unsigned = { url: provider.url(channel, ask), headers, body: "" };
    const { relayTimeoutMs } = context.services.config;
    const deadline = AbortSignal.timeout(Math.min(relayTimeoutMs || HANDSHAKE_MS, HANDSHAKE_MS));
    const dial = async (): Promise<Bun.WebSocket> => {
      const signed = await provider.sign?.(unsigned, channel, key, context.signing);
      const dialed = { url: unsigned.url, headers: { ...headers, ...signed?.headers }, proxy: proxyOf(channel) };
      return context.dialWebSocket(dialed, AbortSignal.any([deadline, signal]));
    };
    const socket = await dial().catch((error: unknown) => {
      const rejection = error instanceof HandshakeRefused && { status: error.status, error: refusal(error) };
      // A cached access token may have been revoked; the provider removes it and a new one is requested once.
      if (rejection && provider.onRejected?.({ ...rejection, params: ask, key }) === "retry") return dial();
      throw error;
    });
    entry.status = 101;
    entry.firstByteMs = Math.round(timing.elapsedMs);
    return { socket, route };
  } catch (error) {
    const failure = failureOf(choice, error);
    if (failure.answered) entry.status = failure.status;
    Object.assign(entry, failureNote(failure.detail));
    throw failure;
  } finally {
    timing.waitedMs += timing.elapsedMs - startMs;
    entry.endMs = Math.round(timing.elapsedMs);
  }
}

function failureOf({ channel, key }: Choice, error: unknown) {
  if (error instanceof HandshakeRefused) {
    // Its message is the gateway's own.
    return rejectedByUpstream({ channel, key }, { status: error.status, error: refusal(error), requestText: () => "" });
  }
  if (error instanceof TokenRefused) return withoutToken({ channel, key }, error);
  return error instanceof AttemptFailure ? error : noResponse(channel, key, "unreachable", error);
}

/** The runtime reports only the status of a rejected handshake, not its body. */
const refusal = ({ message, status }: HandshakeRefused): ReadError => ({
  message: `${message[0]?.toUpperCase()}${message.slice(1)}.`,
  type: "upstream_error",
  param: "",
  code: status === 401 ? "invalid_api_key" : null,
  shaped: false,
});

/** Beta clients select the beta's events by a header or subprotocol. */
export const requestsBeta = (client: Headers): boolean =>
  client.get("openai-beta")?.includes("realtime") === true ||
  client.get("sec-websocket-protocol")?.includes(BETA_PROTOCOL) === true;

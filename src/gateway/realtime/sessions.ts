import type { PeerSource } from "../../lib/http/client-ip.ts";
import { requestIdOf } from "../../lib/http/request-id.ts";
import type { GatewayContext } from "../call/context.ts";
import { errorResponse, GatewayError } from "../call/errors.ts";
import type { ClientSocket, Frame } from "./pipe.ts";
import { RealtimeSession } from "./session.ts";

export type { RealtimeSession } from "./session.ts";

/** A server that can turn a request into a WebSocket. */
export type UpgradingServer = PeerSource & {
  upgrade(request: Request, options: { data: RealtimeSession; headers?: Record<string, string> }): boolean;
};

/** The talks that go on in this process. */
export type RealtimeSessions = Readonly<{
  /** GET /v1/realtime: undefined when the request has become a talk. */
  start(request: Request, server: UpgradingServer | null): Response | undefined;
  /** Ends idle talks now, the others with their response. */
  drain(): void;
  /** Ends all talks; resolves when everything is charged. */
  cut(): Promise<void>;
}>;

/** Larger than the 15 MiB of sound that OpenAI takes in one event, in Base64. */
const LARGEST_FRAME_BYTES = 32 * 1_048_576;
/** Frames in turn that a slow client may leave waiting once its upstream is no longer read. */
const MOST_WAITING_BYTES = 64 * 1_048_576;

/** How the HTTP server treats WebSockets. */
export const realtimeSockets: Bun.WebSocketHandler<RealtimeSession> = {
  maxPayloadLength: LARGEST_FRAME_BYTES,
  backpressureLimit: MOST_WAITING_BYTES,
  idleTimeout: 120,
  sendPings: true,
  open: (socket) => socket.data.open(socket as ClientSocket),
  message: (socket, frame) => socket.data.message(frame as Frame),
  drain: (socket) => socket.data.drained(),
  close: (socket, code, reason) => socket.data.closed(code, reason),
};

export function createRealtimeSessions(context: GatewayContext): RealtimeSessions {
  const sessions = new Set<RealtimeSession>();
  return {
    start(request, server) {
      const { searchParams } = new URL(request.url);
      const origin = {
        // The server's own request ends with its answer.
        request: new Request(request.url, { headers: new Headers(request.headers) }),
        requestId: requestIdOf(request),
        ip: context.services.clientAddress.ip(request, server),
        model: searchParams.get("model") ?? searchParams.get("deployment") ?? "",
      };
      const session = new RealtimeSession(context, origin, (ended) => sessions.delete(ended));
      const headers = { "x-request-id": origin.requestId, ...protocolOf(request) };
      if (!server?.upgrade(request, { data: session, headers })) return errorResponse(NO_WEBSOCKET, request);
      sessions.add(session);
      return undefined;
    },
    drain() {
      for (const session of sessions) session.drain();
    },
    async cut() {
      await Promise.all([...sessions].map((session) => session.cut()));
    },
  };
}

/** Of the sub-protocols that a browser offers, the one that is no secret. */
function protocolOf({ headers }: Request): Record<string, string> {
  const offered = headers
    .get("sec-websocket-protocol")
    ?.split(",")
    .map((item) => item.trim());
  return offered?.includes("realtime") ? { "sec-websocket-protocol": "realtime" } : {};
}

const NO_WEBSOCKET = new GatewayError(
  426,
  "upgrade_required",
  { code: "gateway_websocket_only" },
  {
    type: "invalid_request_error",
  },
);

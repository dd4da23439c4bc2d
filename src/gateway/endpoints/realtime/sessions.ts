import { requestIdOf } from "../../../lib/http/request.ts";
import type { Uses } from "../../call/services.ts";
import { errorResponse } from "../../request/error-response.ts";
import { RealtimeSession, type SessionContext } from "./session.ts";
import { NO_WEBSOCKET, type RealtimeProtocol, type UpgradingServer } from "./sockets.ts";

/** What these functions work with. */
export type SessionsContext = SessionContext & Uses<"clientAddress">;

/** The realtime sessions in this process. */
export type RealtimeSessions = Readonly<{
  /** A request for a session in a protocol: undefined if it became one. */
  start(request: Request, server: UpgradingServer | null, protocol: RealtimeProtocol): Response | undefined;
  /** Ends idle sessions now, the others after their current response. */
  drain(): void;
  /** Ends all sessions; resolves when everything is charged. */
  cut(): Promise<void>;
}>;

/** Opens realtime sessions and ends them when the process stops. */
export function createRealtimeSessions(context: SessionsContext): RealtimeSessions {
  const sessions = new Set<RealtimeSession>();
  return {
    start(request, server, protocol) {
      const { searchParams } = new URL(request.url);
      const origin = {
        // The server's own request object ends with its response.
        request: new Request(request.url, { headers: new Headers(request.headers) }),
        requestId: requestIdOf(request),
        ip: context.services.clientAddress.ip(request, server),
        model: searchParams.get("model") ?? searchParams.get("deployment") ?? "",
        endpoint: protocol.endpoint,
      };
      const session = new RealtimeSession(context, origin, protocol, (ended) => sessions.delete(ended));
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

/** The subprotocol to accept: the one that is no secret. */
function protocolOf({ headers }: Request): Record<string, string> {
  const offered = headers
    .get("sec-websocket-protocol")
    ?.split(",")
    .map((item) => item.trim());
  return offered?.includes("realtime") ? { "sec-websocket-protocol": "realtime" } : {};
}

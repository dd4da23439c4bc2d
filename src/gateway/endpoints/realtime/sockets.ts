import type { Usage } from "../../../formats/conversation/reply.ts";
import type { PeerSource } from "../../../lib/http/client-ip.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { GatewayError } from "../../call/errors.ts";
import type { GuardLog } from "../../call/guardrails/call-guard.ts";
import type { Route } from "../../call/route.ts";
import type { WordFilterContext } from "./filters/word-filter.ts";
import type { Charge } from "./metering/billing.ts";
import type { ResponseLimits } from "./metering/response-limits.ts";
import type { ClientSocket, Frame } from "./pipe.ts";
import type { SessionOrigin } from "./response-call.ts";

/** Handles one client WebSocket. */
export type SocketSession = {
  /** The client is connected. */
  open(client: ClientSocket): void;
  /** A frame of the client. */
  message(frame: Frame): void;
  /** The client has received the queued frames. */
  drained(): void;
  /** The connection is closed. */
  closed(code: number, reason: string): void;
};

/** What to send for an upstream's frame, and what to charge. */
export type UpstreamFrames = Readonly<{
  toClient: readonly Frame[];
  toUpstream: readonly Frame[];
  charge: Charge | null;
  /** A transcription that the upstream made in addition. */
  transcription: Readonly<{ model: string; reported: Usage; text: string }> | null;
  /** The session ends, with this error. */
  error: GatewayError | null;
}>;

/** What a session begins with. */
export type OpeningFrames = Pick<UpstreamFrames, "toUpstream" | "toClient">;

/** A frame of the client that is not forwarded: why, and what guardrails found in it. */
export type Refused = Readonly<{ error: GatewayError; guard: GuardLog }>;

/** What the frames of one session mean, in its protocol. */
export type SessionEvents = {
  /**
   * Takes a frame of the client: what to forward, or what to reply instead. `asksResponse`: what is forwarded asks for a
   * response; `refused`: it is not forwarded. Throws GatewayError: the session ends.
   */
  client(
    frame: Frame,
  ): Readonly<{ forward: readonly Frame[]; reply: readonly Frame[]; asksResponse?: boolean; refused?: Refused }>;
  /** What guardrails refused of the client when `client` threw; absent or null: nothing. */
  readonly refused?: Refused | null;
  /** Takes a frame of the upstream. */
  upstream(frame: Frame): UpstreamFrames;
  /** The first frames for the upstream that the session joined, of which one may name its model, and for the client. */
  opening(route: Route): OpeningFrames;
  /** What the client is to learn when the upstream ends the session for this reason. Absent: the reason itself. */
  closeError?(code: number, reason: string): GatewayError | null;
  /** What the upstream has made and nobody has charged; null: nothing. */
  rest(): Omit<Charge, "ending"> | null;
  /** Whether a response is in progress. */
  readonly isBusy: boolean;
  /** What the session says of its next response; absent: nothing. */
  readonly limits?: ResponseLimits;
};

/** A protocol of realtime sessions. */
export type RealtimeProtocol = Readonly<{
  endpoint: Endpoint;
  /** The model that the client's first frame names, which the session waits for. Throws GatewayError. Absent: the URL has it. */
  modelOf?(setup: Frame): string;
  events(context: WordFilterContext, origin: SessionOrigin): SessionEvents;
  /** The events of a session with an upstream of another protocol; null: they are those of `events`. */
  translated?(context: WordFilterContext, origin: SessionOrigin, route: Route): SessionEvents | null;
  /** How the client learns of an error before its connection is closed: a frame, and the reason in the close frame. */
  describe(error: GatewayError, requestId: string): Readonly<{ frame: Frame | null; reason: string }>;
}>;

/** A server that can turn a request into a WebSocket. */
export type UpgradingServer = PeerSource & {
  upgrade(request: Request, options: { data: SocketSession; headers?: Record<string, string> }): boolean;
};

/** Larger than the 15 MiB of audio that OpenAI accepts in one event, in base64. */
const MAX_FRAME_BYTES = 32 * 1_048_576;
/** Maximum bytes queued for a slow client. */
const MAX_WAITING_BYTES = 64 * 1_048_576;

/** How the HTTP server treats WebSockets. */
export const gatewaySockets: Bun.WebSocketHandler<SocketSession> = {
  maxPayloadLength: MAX_FRAME_BYTES,
  backpressureLimit: MAX_WAITING_BYTES,
  idleTimeout: 120,
  sendPings: true,
  open: (socket) => socket.data.open(socket as ClientSocket),
  message: (socket, frame) => socket.data.message(frame as Frame),
  drain: (socket) => socket.data.drained(),
  close: (socket, code, reason) => socket.data.closed(code, reason),
};

/** 426: the URL only accepts WebSockets. */
export const NO_WEBSOCKET = new GatewayError(
  426,
  "upgrade_required",
  { code: "gateway_websocket_only" },
  {
    type: "invalid_request_error",
  },
);

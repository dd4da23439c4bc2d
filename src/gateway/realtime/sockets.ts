import type { PeerSource } from "../../lib/http/client-ip.ts";
import { GatewayError } from "../call/errors.ts";
import type { ClientSocket, Frame } from "./pipe.ts";

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

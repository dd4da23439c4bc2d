import { until } from "../lib/until.ts";
import { startRelay } from "./start-gateway.ts";

const stops: (() => unknown)[] = [];

/** Ends everything that a test started. */
export function stopAll(): void {
  for (const stop of stops.splice(0)) stop();
}

export type Handshake = { url: URL; headers: Headers };
export type Peer = Bun.ServerWebSocket<unknown>;

/** An upstream that takes WebSockets; `answer` gets every event of the client. */
export function startUpstream(
  answer: (peer: Peer, event: Record<string, unknown>, text: string) => void,
  refuse?: (handshake: Handshake, count: number) => Response | null,
) {
  const handshakes: Handshake[] = [];
  const closed: number[] = [];
  const server = Bun.serve<unknown>({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request, bun) {
      const handshake = { url: new URL(request.url), headers: new Headers(request.headers) };
      handshakes.push(handshake);
      const refused = refuse?.(handshake, handshakes.length);
      if (refused) return refused;
      bun.upgrade(request, { data: null });
    },
    websocket: {
      open: (peer) => void peer.send(JSON.stringify({ type: "session.created", session: { id: "sess_1" } })),
      message: (peer, frame) => answer(peer, JSON.parse(String(frame)), String(frame)),
      close: (_peer, code) => void closed.push(code),
    },
  });
  stops.push(() => server.stop(true));
  return { url: `http://127.0.0.1:${server.port}`, handshakes, closed };
}

const PRICES = {
  ModelRatio: '{"gpt-realtime": 2, "gpt-4o-mini-transcribe": 0.5}',
  CompletionRatio: '{"gpt-realtime": 4, "gpt-4o-mini-transcribe": 4}',
  CacheRatio: '{"gpt-realtime": 0.1}',
  AudioRatio: '{"gpt-realtime": 8, "gpt-4o-mini-transcribe": 2}',
  AudioCompletionRatio: '{"gpt-realtime": 2}',
  PreConsumedQuota: "500",
  RetryTimes: "1",
};

/** A relay whose channels lead to these upstreams, in this order. */
export function startRealtime(
  upstreamUrl: string | readonly string[],
  options: Partial<Parameters<typeof startRelay>[0]> = {},
  channel: object = {},
) {
  const urls = typeof upstreamUrl === "string" ? [upstreamUrl] : upstreamUrl;
  const relay = startRelay({
    channels: urls.map((baseUrl, at) => ({ baseUrl, models: ["gpt-realtime"], priority: -at, ...channel })),
    ...options,
    options: { ...PRICES, ...options.options },
  });
  stops.push(relay.stop);
  return relay;
}

const RuntimeWebSocket = WebSocket as unknown as new (
  url: string,
  options: Bun.WebSocketOptions | string[],
) => Bun.WebSocket;

export const KEY_HEADER = { headers: { authorization: "Bearer sk-test" } };

/** A client that keeps what it gets; `path`: a query of /v1/realtime or a path of its own. */
export function connect(url: string, options: Bun.WebSocketOptions = KEY_HEADER, path = "?model=gpt-realtime") {
  const target = path.startsWith("/") ? path : `/v1/realtime${path}`;
  const socket = new RuntimeWebSocket(url.replace("http", "ws") + target, options);
  const events: Record<string, unknown>[] = [];
  const closing = Promise.withResolvers<{ code: number; reason: string }>();
  socket.onmessage = ({ data }) => void events.push(JSON.parse(String(data)));
  socket.onclose = ({ code, reason }) => closing.resolve({ code, reason });
  /** The last of `count` events of a type. */
  const waitFor = async (type: string, count = 1) => {
    const all = await until(
      () => events.filter((event) => event.type === type),
      ({ length }) => length >= count,
    );
    return all.at(-1) as Record<string, unknown>;
  };
  return {
    socket,
    events,
    waitFor,
    closed: closing.promise,
    send: (event: object) => socket.send(JSON.stringify(event)),
  };
}

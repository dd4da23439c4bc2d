/** A server for tests that answers with exactly the bytes it is given, over plain sockets. */

/** One request as it came. */
export type RawRequest = Readonly<{
  /** Path and query. */
  path: string;
  head: string;
  body: string;
}>;

export type RawConnection = Readonly<{
  /** Which connection of the server, from 1 on, and which of its requests. */
  number: number;
  requests: number;
  /** Sends all of it, however slowly the other side reads. Resolves when it is sent, or the connection is gone. */
  write(bytes: Uint8Array | string): Promise<void>;
  end(): void;
  /** Closes by RST. */
  reset(): void;
  isOpen(): boolean;
}>;

export type RawServer = Readonly<{
  port: number;
  url: string;
  /** Connections made so far, and open now. */
  made(): number;
  open(): number;
  stop(): void;
}>;

type State = {
  connection: RawConnection;
  received: Buffer;
  requests: number;
  isOpen: boolean;
  unsent: Uint8Array[];
  drained: PromiseWithResolvers<void> | null;
};

const HEAD_END = Buffer.from("\r\n\r\n");
const CONTENT_LENGTH = /^content-length: *(\d+)/im;
const CHUNKED_END = Buffer.from("\r\n0\r\n\r\n");

/** Calls `answer` for every complete request, of as many as come on one connection. */
export function startRawServer(
  answer: (connection: RawConnection, request: RawRequest) => void,
  tls?: Bun.TLSOptions,
): RawServer {
  let made = 0;
  let open = 0;
  const server = Bun.listen<State>({
    hostname: "127.0.0.1",
    port: 0,
    ...(tls && { tls }),
    socket: {
      open(socket) {
        made += 1;
        open += 1;
        const state: State = {
          received: Buffer.alloc(0),
          requests: 0,
          isOpen: true,
          unsent: [],
          drained: null,
          connection: connectionOf(socket, made),
        };
        socket.data = state;
      },
      data(socket, bytes) {
        const state = socket.data;
        state.received = Buffer.concat([state.received, bytes]);
        for (let request = takeRequest(state); request; request = takeRequest(state)) {
          state.requests += 1;
          answer(state.connection, request);
        }
      },
      drain: (socket) => flush(socket),
      close(socket) {
        open -= 1;
        socket.data.isOpen = false;
        socket.data.drained?.resolve();
      },
      error() {},
    },
  });
  return {
    port: server.port,
    url: `${tls ? "https" : "http"}://127.0.0.1:${server.port}`,
    made: () => made,
    open: () => open,
    stop: () => server.stop(true),
  };
}

function connectionOf(socket: Bun.Socket<State>, number: number): RawConnection {
  return {
    number,
    get requests() {
      return socket.data.requests;
    },
    write(bytes) {
      const { data } = socket;
      if (!data.isOpen) return Promise.resolve();
      data.unsent.push(typeof bytes === "string" ? Buffer.from(bytes) : bytes);
      data.drained ??= Promise.withResolvers();
      const { promise } = data.drained;
      flush(socket);
      return promise;
    },
    end: () => socket.end(),
    reset: () => socket.terminate(),
    isOpen: () => socket.data.isOpen,
  };
}

function flush(socket: Bun.Socket<State>): void {
  const { data } = socket;
  for (let next = data.unsent[0]; next && data.isOpen; next = data.unsent[0]) {
    const sent = Math.max(0, socket.write(next));
    if (sent < next.length) {
      data.unsent[0] = next.subarray(sent);
      return;
    }
    data.unsent.shift();
  }
  data.drained?.resolve();
  data.drained = null;
}

/** The next complete request; null: it is still coming. */
function takeRequest(state: State): RawRequest | null {
  const headEnd = state.received.indexOf(HEAD_END);
  if (headEnd < 0) return null;
  const head = state.received.toString("latin1", 0, headEnd);
  const from = headEnd + HEAD_END.length;
  let to = from + Number(CONTENT_LENGTH.exec(head)?.[1] ?? 0);
  if (/^transfer-encoding: *chunked/im.test(head)) {
    const end = state.received.indexOf(CHUNKED_END, headEnd);
    to = end < 0 ? Number.POSITIVE_INFINITY : end + CHUNKED_END.length;
  }
  if (state.received.length < to) return null;
  const body = state.received.toString("utf8", from, to);
  state.received = state.received.subarray(to);
  return { path: head.split(" ")[1] ?? "", head, body };
}

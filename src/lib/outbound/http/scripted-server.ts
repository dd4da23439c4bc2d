/** A server for tests that answers word for word what its script says, over plain sockets. */
export type Visit = {
  /** Everything the client has sent on this connection. */
  received: string;
  /** Requests on this connection so far, this one included. */
  requests: number;
  /** A short text: all of it goes at once. */
  write(text: string): void;
  close(): void;
};

export type ScriptedServer = Readonly<{
  port: number;
  /** Connections that were made, and that are open. */
  made: () => number;
  open: () => number;
  stop: () => void;
}>;

/** `answer` is called when a whole request (its head, and a body of its length) has come. */
export function startScriptedServer(answer: (visit: Visit) => void): ScriptedServer {
  let made = 0;
  let open = 0;
  const server = Bun.listen<Visit & { unread: string }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        made += 1;
        open += 1;
        socket.data = {
          received: "",
          unread: "",
          requests: 0,
          write: (text) => socket.write(text),
          close: () => socket.end(),
        };
      },
      data(socket, bytes) {
        const visit = socket.data;
        // A character is a byte.
        const text = bytes.toString("latin1");
        visit.received += text;
        visit.unread += text;
        const head = visit.unread.indexOf("\r\n\r\n");
        if (head < 0) return;
        const length = Number(/content-length: (\d+)/.exec(visit.unread)?.[1] ?? 0);
        if (visit.unread.length < head + 4 + length) return;
        visit.unread = "";
        visit.requests += 1;
        answer(visit);
      },
      close() {
        open -= 1;
      },
    },
  });
  return { port: server.port, made: () => made, open: () => open, stop: () => server.stop(true) };
}

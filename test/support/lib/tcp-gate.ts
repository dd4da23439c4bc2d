import type { Socket } from "bun";

type Side = { peer: Socket<Side> | null; waiting: Uint8Array[] };

/**
 * A loopback address that leads to another one until it is shut: then its connections end and new ones are refused. While
 * it is frozen nothing passes, and nothing is refused, as where packets are lost.
 */
export async function openTcpGate(target: Readonly<{ hostname: string; port: number }>) {
  const sockets = new Set<Socket<Side>>();
  let isFrozen = false;
  // What one side could not take at once goes when it can.
  const flush = (socket: Socket<Side>) => {
    for (let bytes = socket.data.waiting.shift(); bytes; bytes = socket.data.waiting.shift()) {
      const written = Math.max(0, socket.write(bytes));
      if (written === bytes.length) continue;
      socket.data.waiting.unshift(bytes.subarray(written));
      return;
    }
  };
  const pass = (to: Socket<Side> | null, bytes: Uint8Array) => {
    if (!to) return;
    to.data.waiting.push(Uint8Array.from(bytes));
    flush(to);
  };
  const handlers = {
    data: (socket: Socket<Side>, bytes: Uint8Array) => pass(socket.data.peer, bytes),
    drain: flush,
    close(socket: Socket<Side>) {
      sockets.delete(socket);
      socket.data.peer?.end();
    },
    error() {},
  };
  const listener = Bun.listen<Side>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      ...handlers,
      async open(client) {
        client.data = { peer: null, waiting: [] };
        sockets.add(client);
        client.pause();
        const data: Side = { peer: client, waiting: [] };
        const server = await Bun.connect<Side>({ ...target, data, socket: handlers }).catch(() => null);
        if (!server) {
          client.terminate();
          return;
        }
        sockets.add(server);
        client.data.peer = server;
        // It may have left meanwhile.
        if (!sockets.has(client)) server.end();
        else if (isFrozen) server.pause();
        else client.resume();
      },
    },
  });
  return {
    port: listener.port,
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    shut() {
      listener.stop(true);
      for (const socket of sockets) socket.terminate();
    },
  };
}

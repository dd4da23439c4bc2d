import { createServer, connect as dial, type Socket } from "node:net";

/**
 * A TCP proxy that can lose every packet without closing anything, as a network partition or a server that vanished does.
 * A connection that lost packets stays silent for ever: what was lost is not sent again.
 */
export type SilentProxy = Readonly<{
  port: number;
  /** Connections that are open now go silent, in both directions; new ones work: a fail-over. */
  silenceOpen(): void;
  /** New connections are accepted and stay silent too: a partition. */
  silenceAll(): void;
  /** New connections work again. */
  restore(): void;
  /** What the server sends arrives so much later. */
  delay(ms: number): void;
  stop(): void;
}>;

type Pair = { client: Socket; server: Socket | null; isSilent: boolean };

/** Starts a proxy to `port` of the loopback address on a free port. */
export async function startSilentProxy(port: number): Promise<SilentProxy> {
  const pairs = new Set<Pair>();
  let isPartitioned = false;
  let delayMs = 0;

  const forward = (pair: Pair, from: Socket, to: Socket) => {
    from.on("data", (bytes) => {
      const send = () => void (pair.isSilent || to.write(bytes));
      if (delayMs > 0 && from === pair.server) setTimeout(send, delayMs);
      else send();
    });
    from.on("error", () => {});
    from.on("close", () => {
      if (pair.isSilent) return;
      pairs.delete(pair);
      to.destroy();
    });
  };

  const proxy = createServer((client) => {
    const pair: Pair = { client, server: null, isSilent: isPartitioned };
    pairs.add(pair);
    if (isPartitioned) {
      client.on("error", () => {});
      client.resume();
      return;
    }
    const server = dial(port, "127.0.0.1");
    pair.server = server;
    forward(pair, client, server);
    forward(pair, server, client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address();
  if (address === null || typeof address === "string") throw new Error("the proxy has no port");

  const silenceOpen = () => {
    for (const pair of pairs) pair.isSilent = true;
  };
  return {
    port: address.port,
    silenceOpen,
    silenceAll() {
      isPartitioned = true;
      silenceOpen();
    },
    restore() {
      isPartitioned = false;
    },
    delay(ms) {
      delayMs = ms;
    },
    stop() {
      proxy.close();
      for (const { client, server } of pairs) {
        client.destroy();
        server?.destroy();
      }
    },
  };
}

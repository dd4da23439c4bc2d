import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below those that systems give to connections and to whoever asks for any port: nobody gets one before it is used. */
const PORTS = { first: 20_000, end: 32_000 };

/** A TCP port of the loopback address that nothing listens on now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.end);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}

import { existsSync } from "node:fs";
import { freePort } from "../free-port.ts";
import { until } from "../until.ts";

/** Redis or Valkey on this machine; undefined: neither is installed. */
export const REDIS = ["/usr/bin/redis-server", "/usr/bin/valkey-server"].find(existsSync);

/** A Redis in memory alone, on a free loopback port, which it keeps when it is ended and started again. */
export async function startRedis() {
  const port = await freePort();
  let server = await start(port);
  const end = async () => {
    server.kill("SIGKILL");
    await server.exited;
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    end,
    /** It takes commands and answers none, until `resume`. */
    pause: () => server.kill("SIGSTOP"),
    resume: () => server.kill("SIGCONT"),
    async again() {
      server = await start(port);
    },
  };
}

/** Resolves when it takes connections. */
async function start(port: number): Promise<Bun.Subprocess> {
  const command = [REDIS ?? "", "--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"];
  const server = Bun.spawn(command, { stdio: ["ignore", "ignore", "ignore"] });
  await until(() =>
    Bun.connect({ hostname: "127.0.0.1", port, socket: { data() {} } }).then(
      (socket) => {
        socket.end();
        return true;
      },
      () => false,
    ),
  );
  return server;
}

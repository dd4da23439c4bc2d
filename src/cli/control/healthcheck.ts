import { connect } from "node:net";
import { readLocation } from "../../server/config.ts";

const TIMEOUT_MS = 3000;

/** Asks the gateway on this machine whether it is ready. Returns 0 (ready) or 1. */
export async function healthcheck(): Promise<number> {
  const { host, port } = readLocation();
  const address = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const status = await statusOf(address, port);
  process.stdout.write(status === 200 ? "ready\n" : "not ready\n");
  return status === 200 ? 0 : 1;
}

/** One plain HTTP request over a socket: no outgoing fetch policy applies to ourselves. */
function statusOf(host: string, port: number): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS });
    let head = "";
    const finish = () => {
      socket.destroy();
      resolve(Number(/^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1] ?? 0));
    };
    socket.once("connect", () => socket.write(`GET /readyz HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`));
    socket.on("data", (bytes) => {
      head += bytes.toString("latin1");
      if (head.includes("\r\n")) finish();
    });
    socket.once("error", finish).once("timeout", finish).once("end", finish);
  });
}

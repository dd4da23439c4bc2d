import { connect } from "node:net";

/** What a server answers to the head of a POST that announces so long a body, of which no byte is sent. */
export function announceBody(
  url: string,
  bytes: number,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string }> {
  const { hostname, port, pathname, host } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const socket = connect(Number(port), hostname, () => {
    const lines = Object.entries({ host, "content-type": "application/json", ...headers, "content-length": bytes });
    socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`);
  });
  let came = "";
  const ended = () => {
    const [head = "", text = ""] = came.split(/\r\n\r\n(.*)/s);
    resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]), text });
  };
  socket.setEncoding("utf8");
  socket.on("data", (piece: string) => {
    came += piece;
    const length = /\r\ncontent-length: (\d+)\r\n(?:.*?\r\n)?\r\n(.*)$/is.exec(came);
    if (length && Buffer.byteLength(length[2] ?? "") >= Number(length[1])) socket.destroy();
  });
  socket.on("close", ended);
  socket.on("error", reject);
  return promise;
}

/** Far above what a busy machine takes. */
const CLOSES_WITHIN_MS = 30_000;

/** Sends bytes as they are; all that comes back until the other side closes. Rejects when it does not. */
export function exchange(url: string, request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let received = "";
  const socket = connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(Buffer.from(request, "latin1")));
  socket.on("data", (bytes: Buffer) => (received += bytes.toString("latin1")));
  socket.on("close", () => resolve(received));
  socket.on("error", () => resolve(received));
  socket.setTimeout(CLOSES_WITHIN_MS, () => {
    socket.destroy();
    reject(new Error(`the connection stayed open after ${JSON.stringify(received)}`));
  });
  return promise;
}

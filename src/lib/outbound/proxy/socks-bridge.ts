import { createServer, type Server, type Socket } from "node:net";
import { Transform, type TransformCallback } from "node:stream";
import { SocksClient, type SocksProxy } from "socks";

/**
 * The runtime's fetch knows HTTP proxies only. For a SOCKS proxy, a server on the loopback interface takes its requests as
 * an HTTP proxy would (CONNECT for https, the whole address for http) and hands the bytes on through the SOCKS proxy. It
 * serves only who knows its password, so that it is no way out for others on the machine.
 */
export type SocksBridge = Readonly<{ address: string; close(): void }>;

const LARGEST_HEAD_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 15_000;
const HEAD_END = Buffer.from("\r\n\r\n");

/** Opens a bridge; `proxy` is called for each connection. Resolves with its address, password included. */
export async function openSocksBridge(proxy: () => Promise<SocksProxy>): Promise<SocksBridge> {
  const password = Buffer.from(crypto.getRandomValues(new Uint8Array(18))).toString("base64url");
  const expected = `basic ${Buffer.from(`bridge:${password}`).toString("base64")}`;
  const server = createServer((client) => {
    client.on("error", () => client.destroy());
    readHead(client, (head, rest) => void serve(client, head, rest, expected, proxy));
  });
  const port = await listening(server);
  server.unref();
  return { address: `http://bridge:${password}@127.0.0.1:${port}/`, close: () => void server.close() };
}

function listening(server: Server): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", () => {
    const bound = server.address();
    resolve(typeof bound === "object" && bound ? bound.port : 0);
  });
  return promise;
}

/** Calls `then` once with the head of the request and what came behind it. */
function readHead(client: Socket, then: (head: string, rest: Buffer) => void): void {
  let held = Buffer.alloc(0);
  const take = (bytes: Buffer) => {
    held = Buffer.concat([held, bytes]);
    const end = held.indexOf(HEAD_END);
    if (end < 0) {
      if (held.length > LARGEST_HEAD_BYTES) client.destroy();
      return;
    }
    client.off("data", take);
    client.pause();
    then(held.toString("latin1", 0, end), held.subarray(end + HEAD_END.length));
  };
  client.on("data", take);
}

async function serve(
  client: Socket,
  head: string,
  rest: Buffer,
  expected: string,
  proxy: () => Promise<SocksProxy>,
): Promise<void> {
  const [requestLine = "", ...fields] = head.split("\r\n");
  const authorization = fields.find((field) => /^proxy-authorization:/i.test(field));
  if (textOf(authorization).replace(/^basic/i, "basic") !== expected) return end(client, "407 Unauthorized");
  const [method = "", target = ""] = requestLine.split(" ");
  const tunnels = method === "CONNECT";
  const url = URL.parse(tunnels ? `https://${target}` : target);
  if (!url) return end(client, "400 Bad Request");
  let upstream: Socket;
  try {
    const destination = { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) || defaultPort(url) };
    const options = { proxy: await proxy(), command: "connect", destination, timeout: CONNECT_TIMEOUT_MS } as const;
    ({ socket: upstream } = await SocksClient.createConnection(options));
  } catch {
    return end(client, "502 Bad Gateway");
  }
  upstream.on("error", () => client.destroy());
  upstream.on("close", () => client.destroy());
  client.on("close", () => upstream.destroy());
  if (tunnels) client.write("HTTP/1.1 200 Connection established\r\n\r\n");
  else upstream.write(Buffer.from(forwarded(requestLine, fields), "latin1"));
  if (rest.length > 0) upstream.write(rest);
  client.pipe(upstream);
  if (tunnels) upstream.pipe(client);
  else upstream.pipe(new LastAnswer()).pipe(client);
}

/** Says in the head of the answer that the connection ends with it, so that the runtime does not keep it for another request. */
class LastAnswer extends Transform {
  #held: Buffer | null = Buffer.alloc(0);

  override _transform(bytes: Buffer, _: BufferEncoding, done: TransformCallback): void {
    if (!this.#held) {
      done(null, bytes);
      return;
    }
    this.#held = Buffer.concat([this.#held, bytes]);
    const end = this.#held.indexOf("\r\n");
    if (end >= 0) {
      this.push(Buffer.concat([this.#held.subarray(0, end), CLOSES, this.#held.subarray(end)]));
      this.#held = null;
    }
    done();
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#held);
  }
}

const CLOSES = Buffer.from("\r\nconnection: close");
const OWN_TO_THE_HOP = /^(proxy-authorization|proxy-connection|connection):/i;

/** The head for the target. One request a connection: what came behind it on the same one would not be looked at. */
const forwarded = (requestLine: string, fields: readonly string[]): string =>
  [requestLine, ...fields.filter((field) => !OWN_TO_THE_HOP.test(field)), "connection: close", "", ""].join("\r\n");

const textOf = (field: string | undefined): string => field?.slice(field.indexOf(":") + 1).trim() ?? "";

const defaultPort = ({ protocol }: URL): number => (protocol === "https:" ? 443 : 80);

function end(client: Socket, status: string): void {
  client.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
}

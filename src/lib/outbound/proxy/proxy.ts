import { createServer, isIP, type Server, type Socket } from "node:net";
import { Transform, type TransformCallback } from "node:stream";
import { LRUCache } from "lru-cache";
import type { SocksProxy } from "socks";
import { OutboundError } from "../outbound-error.ts";
import type { Resolve } from "../resolve.ts";
import { hostnameOf, parseHttpUrl } from "../url.ts";

const SOCKS = /^socks([45]?)[ah]?:\/\//i;
const SOCKS_PORT = 1080;
/** Bridges that are kept open; addresses of proxies change seldom. */
const MAX_BRIDGES = 200;

/**
 * Checks a proxy address (`http://`, `https://`, `socks5://`, `socks4://`, with or without user and password) and returns
 * it as fetch takes it. Throws or rejects OutboundError: a proxy must be as reachable as a target.
 */
export async function checkedProxy(proxy: string, resolve: Resolve): Promise<string> {
  const version = SOCKS.exec(proxy)?.[1];
  const url = parseHttpUrl(version === undefined ? proxy : proxy.replace(SOCKS, "http://"), "why_the_proxy");
  const [address] = await resolve(hostnameOf(url));
  if (version === undefined) {
    // The connection goes to the very address that was checked; an https proxy is held to its name by its certificate.
    if (address !== undefined && url.protocol === "http:")
      url.hostname = isIP(address) === 6 ? `[${address}]` : address;
    return url.href;
  }
  return (await bridgeTo(proxy, socksProxy(url, version === "4" ? 4 : 5, resolve))).address;
}

const bridges = new LRUCache<string, Promise<SocksBridge>>({
  max: MAX_BRIDGES,
  dispose(unused) {
    unused.then(
      ({ close }) => close(),
      () => {},
    );
  },
});

/** One bridge for each address of a proxy. */
function bridgeTo(proxy: string, target: () => Promise<SocksProxy>): Promise<SocksBridge> {
  const known = bridges.get(proxy);
  if (known) return known;
  const opened = openSocksBridge(target);
  bridges.set(proxy, opened);
  opened.catch(() => bridges.delete(proxy));
  return opened;
}

/** The proxy at one of its checked addresses, looked up again for each connection. */
const socksProxy = (url: URL, type: 4 | 5, resolve: Resolve) => async (): Promise<SocksProxy> => {
  const [host] = await resolve(hostnameOf(url));
  if (host === undefined) {
    throw new OutboundError("unresolved", { code: "why_no_host_address", params: { host: url.host } });
  }
  return {
    host,
    port: Number(url.port) || SOCKS_PORT,
    type,
    ...(url.username !== "" && { userId: decodeURIComponent(url.username) }),
    ...(url.password !== "" && { password: decodeURIComponent(url.password) }),
  };
};

/**
 * The runtime's fetch knows HTTP proxies only. For a SOCKS proxy, a server on the loopback interface takes its requests as
 * an HTTP proxy would (CONNECT for https, the whole address for http) and hands the bytes on through the SOCKS proxy. It
 * serves only who knows its password, so that it is no way out for others on the machine.
 */
type SocksBridge = Readonly<{ address: string; close(): void }>;

const LARGEST_HEAD_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 15_000;
const HEAD_END = Buffer.from("\r\n\r\n");

/** Opens a bridge; `proxy` is called for each connection. Resolves with its address, password included. */
async function openSocksBridge(proxy: () => Promise<SocksProxy>): Promise<SocksBridge> {
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
    const { SocksClient } = await import("socks");
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

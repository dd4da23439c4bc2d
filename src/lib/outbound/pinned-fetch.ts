import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import { decodeBody } from "./decode-body.ts";
import { hostnameOf } from "./url.ts";

/** An HTTP(S) URL that requests go to again and again; what is derived from it is computed once. */
export class FetchTarget {
  readonly hostname: string;
  readonly origin: string;
  readonly href: string;
  readonly #tls: { serverName: string } | undefined;
  #address = "";
  #addressUrl = "";

  constructor(readonly url: URL) {
    this.hostname = hostnameOf(url);
    this.origin = url.origin;
    this.href = url.href;
    const verifiesName = url.protocol === "https:" && isIP(this.hostname) === 0;
    this.#tls = verifiesName ? { serverName: this.hostname } : undefined;
  }

  /** The URL with the host name replaced by one of its addresses. */
  urlAt(address: string): string {
    if (address === this.#address) return this.#addressUrl;
    const url = new URL(this.url);
    url.hostname = isIP(address) === 6 ? `[${address}]` : address;
    this.#address = address;
    this.#addressUrl = url.href;
    return url.href;
  }

  /** Name for SNI and for the certificate check, in place of the address. */
  get tls(): { serverName: string } | undefined {
    return this.#tls;
  }
}

export type FetchRequest = Readonly<{
  method: string;
  headers: Readonly<Record<string, string>>;
  /** A function makes a new stream for each try. */
  body?: string | Uint8Array<ArrayBuffer> | (() => ReadableStream<Uint8Array>) | undefined;
  signal: AbortSignal;
  /** Proxy for this request; absent: as the environment says. */
  proxy?: string | undefined;
}>;

/**
 * Idle connections are closed before most servers close them (60 s and more), so that a request rarely meets a connection
 * that the server is just closing.
 */
const newSession = () => new Bun.FetchSession({ keepAlive: { idleTimeout: 30 } });
const session = newSession();

/** Proxies may choose a way out by login, so each address of a proxy, login included, has connections of its own. */
const proxySessions = new LRUCache<string, Bun.FetchSession>({
  max: 200,
  // Closes what is idle; requests under way go on.
  dispose: (unused) => unused.close(),
});

function sessionFor(proxy: string): Bun.FetchSession {
  const known = proxySessions.get(proxy);
  if (known) return known;
  const made = newSession();
  proxySessions.set(proxy, made);
  return made;
}

/** Failures of connect(2): nothing was sent. An established connection that is lost is ECONNRESET or ETIMEDOUT. */
const CONNECT_FAILURES: ReadonlySet<string> = new Set(["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL"]);

/**
 * Sends a request with the runtime's fetch to one of `addresses`, which were checked before: the connection goes to that
 * very address, while the Host header, SNI and the certificate check use the name. The next address is tried only when no
 * connection could be made. Without addresses the runtime resolves the name. Redirects are not followed. Answers are
 * requested uncompressed; a compressed one is decoded as it is read. Rejects what fetch rejects, or EncodingError.
 */
export function fetchPinned(
  target: FetchTarget,
  addresses: readonly string[] | null,
  request: FetchRequest,
): Promise<Response> {
  if (addresses) return fetchFrom(addresses, target, request);
  return fetch(target.href, initOf(request, request.headers)).then(decodeBody);
}

async function fetchFrom(addresses: readonly string[], target: FetchTarget, request: FetchRequest): Promise<Response> {
  const headers = { ...request.headers, host: target.url.host };
  for (let index = 0; ; index += 1) {
    const init = { ...initOf(request, headers), tls: target.tls };
    try {
      return decodeBody(await fetch(target.urlAt(addresses[index] ?? target.hostname), init));
    } catch (error) {
      const hasNext = index + 1 < addresses.length && !request.signal.aborted;
      if (!hasNext || !isConnectFailure(error)) throw error;
    }
  }
}

function initOf({ method, body, signal, proxy }: FetchRequest, headers: FetchRequest["headers"]): BunFetchRequestInit {
  return {
    method,
    headers: "accept-encoding" in headers ? headers : { ...headers, "accept-encoding": "identity" },
    body: typeof body === "function" ? body() : body,
    signal,
    redirect: "manual",
    decompress: false,
    ...(proxy === undefined
      ? { session }
      : {
          session: sessionFor(proxy),
          proxy: { url: proxy, respectNoProxy: false },
        }),
  } as BunFetchRequestInit;
}

const isConnectFailure = (error: unknown): boolean =>
  error instanceof Error && "code" in error && CONNECT_FAILURES.has(String(error.code));

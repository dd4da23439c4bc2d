import { isIP } from "node:net";
import { pipeline, Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";
import { LRUCache } from "lru-cache";
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
  return fetch(target.href, initOf(request, request.headers, undefined)).then(decodeBody);
}

async function fetchFrom(addresses: readonly string[], target: FetchTarget, request: FetchRequest): Promise<Response> {
  const headers = { ...request.headers, host: target.url.host };
  for (let index = 0; ; index += 1) {
    const init = initOf(request, headers, target.tls);
    try {
      return decodeBody(await fetch(target.urlAt(addresses[index] ?? target.hostname), init));
    } catch (error) {
      const hasNext = index + 1 < addresses.length && !request.signal.aborted;
      if (!hasNext || !isConnectFailure(error)) throw error;
    }
  }
}

function initOf(
  { method, body, signal, proxy }: FetchRequest,
  headers: FetchRequest["headers"],
  tls: { serverName: string } | undefined,
): BunFetchRequestInit {
  const init = {
    method,
    headers: "accept-encoding" in headers ? headers : { ...headers, "accept-encoding": "identity" },
    body: typeof body === "function" ? body() : body,
    signal,
    redirect: "manual",
    decompress: false,
    tls,
    session,
  } as BunFetchRequestInit;
  if (proxy === undefined) return init;
  return { ...init, session: sessionFor(proxy), proxy: { url: proxy, respectNoProxy: false } } as BunFetchRequestInit;
}

const isConnectFailure = (error: unknown): boolean =>
  error instanceof Error && "code" in error && CONNECT_FAILURES.has(String(error.code));

/** The body has a content coding (RFC 9110, section 8.4) that cannot be undone. */
export class EncodingError extends Error {
  override name = "EncodingError";
}

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** More would only multiply the size of a decompression bomb. */
const MAX_CODINGS = 2;

/**
 * The response with its content codings undone. Bytes are decoded as they are read, some KiB at a time, so a reader that
 * stops at its size limit never holds what a decompression bomb would become. Throws EncodingError.
 */
function decodeBody(response: Response): Response {
  const header = response.headers.get("content-encoding");
  if (header === null || header === "identity" || header === "" || !response.body) return response;
  const codings = header
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "identity" && coding !== "");
  const decoders = codings.reverse().map((coding) => DECODERS[coding]);
  if (decoders.length > MAX_CODINGS || decoders.includes(undefined)) {
    void response.body.cancel();
    throw new EncodingError(`the response is encoded as ${header}`);
  }
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  const source = Readable.from(response.body);
  const stages = decoders.flatMap((create) => (create ? [create()] : []));
  // Errors of any stage reach whoever reads the last one.
  const decoded = stages.length === 0 ? source : pipeline([source, ...stages], () => {});
  return new Response(readableOf(decoded as Readable), { status: response.status, headers });
}

/** A web stream that reads no further ahead than it is asked. */
function readableOf(source: Readable): ReadableStream<Uint8Array> {
  const chunks: AsyncIterator<Uint8Array> = source[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        source.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}

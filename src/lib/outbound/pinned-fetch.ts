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
  /** Name for SNI and for the certificate check, in place of the address. */
  readonly tls: { serverName: string } | undefined;
  #address = "";
  #addressUrl = "";

  constructor(readonly url: URL) {
    this.hostname = hostnameOf(url);
    this.origin = url.origin;
    this.href = url.href;
    const verifiesName = url.protocol === "https:" && isIP(this.hostname) === 0;
    this.tls = verifiesName ? { serverName: this.hostname } : undefined;
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
export async function fetchPinned(
  target: FetchTarget,
  addresses: readonly string[] | null,
  { method, headers: own, body, signal, proxy }: FetchRequest,
): Promise<Response> {
  const headers = {
    ...own,
    ...(addresses && { host: target.url.host }),
    "accept-encoding": own["accept-encoding"] ?? "identity",
  };
  for (let index = 0; ; index += 1) {
    const init = {
      method,
      headers,
      body: typeof body === "function" ? body() : body,
      signal,
      redirect: "manual",
      decompress: false,
      tls: addresses ? target.tls : undefined,
      session: proxy === undefined ? session : sessionFor(proxy),
      ...(proxy !== undefined && { proxy: { url: proxy, respectNoProxy: false } }),
    } as BunFetchRequestInit;
    try {
      const address = addresses?.[index] ?? target.hostname;
      return decodeBody(await fetch(addresses ? target.urlAt(address) : target.href, init));
    } catch (error) {
      const hasNext = addresses !== null && index + 1 < addresses.length && !signal.aborted;
      if (!hasNext || !isConnectFailure(error)) throw error;
    }
  }
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

import { AsyncLocalStorage } from "node:async_hooks";

/**
 * Every request has an id that its client sees and may choose (`X-Request-Id`), and a record id under which it is billed. The
 * record id is unique, so that clients that repeat an id are charged for each call.
 */

export type Identity = Readonly<{
  /** The response's `X-Request-Id`: the client's own if it is acceptable (1 to 64 of `A-Za-z0-9._:-`), else a new one. */
  requestId: string;
  /** The id of the log row: the request id, followed by `~` and a random part if the client chose it. */
  recordId: string;
}>;

/** The member of a request that holds its identity. */
const IDENTITY = Symbol("identity");
type Identified = Request & { [IDENTITY]?: Identity };

const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,64}$/;

export const REQUEST_ID_HEADER = "x-request-id";

/** The id in the response's `X-Request-Id`. */
export const requestIdOf = (request: Request): string => identify(request).requestId;

/** Both ids of a request, created when first needed. */
export function identify(request: Identified): Identity {
  const known = request[IDENTITY];
  if (known) return known;
  const own = Bun.randomUUIDv7();
  const input = request.headers.get(REQUEST_ID_HEADER);
  const accepted = input !== null && ACCEPTABLE.test(input);
  const identity = accepted ? { requestId: input, recordId: `${input}~${own}` } : { requestId: own, recordId: own };
  request[IDENTITY] = identity;
  return identity;
}

const ID_BYTES = 12;

/** A random id with a prefix, as in providers' formats: `call_9f86d081884c7d659a2f`. */
export const randomId = (prefix: string): string =>
  prefix + Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString("hex");

const BEFORE_HOST = "https://".length;

/** The path of an absolute address as it stands there, without the query. */
export function pathOf(url: string): string {
  const start = url.indexOf("/", BEFORE_HOST);
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/**
 * Gives a request another path; its query stays. The server knows the connection and the body of this very object: a new one
 * would lose both.
 */
export function changePath(request: Request, path: string): void {
  const { url } = request;
  const start = url.indexOf("/", BEFORE_HOST);
  const value = url.slice(0, start) + path + url.slice(start + pathOf(url).length);
  Object.defineProperty(request, "url", { value, configurable: true });
}

/** A path, or a part of one, without its percent escapes; one with malformed escapes stays as it is. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Where a request of the management API came from, for what is logged of it. */
export type RequestOrigin = Readonly<{
  /** The client's address; empty if the connection is unknown. */
  ip: string;
  requestId: string;
}>;

const origins = new AsyncLocalStorage<RequestOrigin>();

/** Does `work`, and all that it awaits, for a request that came from there. */
export const withOrigin = <Result>(origin: RequestOrigin, work: () => Result): Result => origins.run(origin, work);

/** Where the request that is being answered came from; null for jobs and commands. */
export const requestOrigin = (): RequestOrigin | null => origins.getStore() ?? null;

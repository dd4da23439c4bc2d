/**
 * Every request has an id that its caller sees (`X-Request-Id`; the caller may choose it) and a record id under which it is
 * billed. The record id is always unique, so a caller who repeats an id is still charged for each call.
 */

export type Identity = Readonly<{
  /** Answered in `X-Request-Id`: the caller's own when acceptable (1 to 64 of `A-Za-z0-9._:-`), else a new one. */
  requestId: string;
  /** Of the request's log row: the request id, followed by `~` and a random part when the caller chose it. */
  recordId: string;
}>;

/** A request keeps its identity itself: a table of all requests would only grow until garbage is collected. */
const IDENTITY = Symbol("identity");
type Identified = Request & { [IDENTITY]?: Identity };

const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,64}$/;

export const REQUEST_ID_HEADER = "x-request-id";

/** The id that is answered in `X-Request-Id`. */
export const requestIdOf = (request: Request): string => identify(request).requestId;

/** Both ids of a request, given to it when first asked for. */
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

/** A fresh random id behind a prefix, as providers' formats name calls, items and answers: `call_9f86d081884c7d659a2f`. */
export const randomId = (prefix: string): string =>
  prefix + Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString("hex");

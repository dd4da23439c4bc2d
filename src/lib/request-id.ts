/**
 * Every request has an id that its caller sees (`X-Request-Id`; the caller may choose it) and a record id under which it is
 * billed. The record id is always unique, so a caller who repeats an id is still charged for each call.
 */

const ids = new WeakMap<Request, { requestId: string; recordId: string }>();
const ACCEPTABLE = /^[A-Za-z0-9._:-]{1,64}$/;

export const REQUEST_ID_HEADER = "x-request-id";

/** The id answered in `X-Request-Id`: the caller's own when acceptable (1 to 64 of `A-Za-z0-9._:-`), else a new one. */
export const requestIdOf = (request: Request): string => identify(request).requestId;

/** The unique id of the request's log row: the request id, followed by `~` and a random part when the caller chose it. */
export const recordIdOf = (request: Request): string => identify(request).recordId;

function identify(request: Request) {
  const known = ids.get(request);
  if (known) return known;
  const own = Bun.randomUUIDv7();
  const given = request.headers.get(REQUEST_ID_HEADER);
  const accepted = given !== null && ACCEPTABLE.test(given);
  const identity = accepted ? { requestId: given, recordId: `${given}~${own}` } : { requestId: own, recordId: own };
  ids.set(request, identity);
  return identity;
}

const ID_BYTES = 12;

/** A fresh random id behind a prefix, as providers' formats name calls, items and answers: `call_9f86d081884c7d659a2f`. */
export const randomId = (prefix: string): string =>
  prefix + Buffer.from(crypto.getRandomValues(new Uint8Array(ID_BYTES))).toString("hex");

import type { Adapter, StreamView } from "../../upstream/adapter.ts";

/** An adapter like `inner`, with members of its own. What `inner` has beyond every adapter's members is not taken over. */
export const adapterLike = (inner: Adapter, own: Partial<Adapter>): Adapter => ({
  encode: () => inner.encode(),
  findError: (body) => inner.findError(body),
  findStreamError: (block) => inner.findStreamError(block),
  startsResponse: (block) => inner.startsResponse(block),
  outcomeOf: (bytes) => inner.outcomeOf?.(bytes) ?? "answered",
  statusOf: (error) => inner.statusOf(error),
  readError: (status, body) => inner.readError(status, body),
  readResponse: (body, contentType) => inner.readResponse(body, contentType),
  synthesizeStream: (body, contentType) => inner.synthesizeStream(body, contentType),
  streamView: () => inner.streamView(),
  ...own,
});

/** A view like `inner`, which takes blocks in its own way. */
export const viewLike = (inner: StreamView, take: StreamView["take"]): StreamView => ({
  get ended() {
    return inner.ended;
  },
  get failed() {
    return inner.failed;
  },
  get usage() {
    return inner.usage;
  },
  get finished() {
    return inner.finished;
  },
  get meter() {
    return inner.meter;
  },
  take,
  close: (last, billed) => inner.close(last, billed),
  broken: (error, requestId) => inner.broken(error, requestId),
});

import type { Adapter } from "../../upstream/adapter.ts";

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

import { completeEventsLength } from "../../lib/http/sse.ts";
import type { Uses } from "../call/services.ts";
import type { PricedCall } from "../money/price.ts";
import type { OpenStream, Received } from "./receive.ts";

/** Reads a response as far as it takes to know whether it has any output. */
async function reviewResponse(context: Uses<"config">, received: Received): Promise<Reviewed<Received>> {
  if (received.kind === "bytes") return { result: received, isRefusal: false };
  if (received.kind === "complete") return { result: received, isRefusal: received.outcome?.() === "filtered" };
  return reviewStream(context, received);
}

async function reviewStream({ services: { config } }: Uses<"config">, stream: OpenStream): Promise<Reviewed<Received>> {
  const { exchange, reader, outcome } = stream;
  if (!outcome) return { result: stream, isRefusal: false };
  let { first, ended } = stream;
  const judge = () => outcome(first.subarray(0, completeEventsLength(first)));
  let verdict = judge();
  if (verdict === "pending" && !ended) exchange.expectBody(config.streamingTimeoutMs);
  while (verdict === "pending" && !ended && first.length < config.maxResponseBodyBytes) {
    try {
      const { value, done } = await reader.read();
      exchange.progressed();
      if (value) first = Buffer.concat([first, value]);
      ended = done;
    } catch {
      ended = true;
    }
    verdict = judge();
  }
  exchange.endTimeouts();
  return { result: { ...stream, first, ended }, isRefusal: verdict === "filtered" };
}

/** What a call does with one model: `attempt`, whose response is reviewed while another model could answer. */
export const reviewed = (context: Uses<"config">, attempt: (call: PricedCall) => Promise<Received>) => ({
  attempt,
  review: (received: Received) => reviewResponse(context, received),
  discard: discardResponse,
});

/** Ends a response that nobody wants any more. */
export function discardResponse(received: Received): void {
  if (received.kind === "stream") received.exchange.abort();
}

/** A response, and whether the provider's content filter withheld all of it. */
export type Reviewed<Result> = Readonly<{ result: Result; isRefusal: boolean }>;

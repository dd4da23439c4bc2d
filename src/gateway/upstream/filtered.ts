import type { Usage } from "../../formats/conversation/reply.ts";
import { completeEventsLength } from "../../lib/http/sse.ts";
import type { Uses } from "../call/services.ts";
import type { Answer, Received } from "./receive.ts";

/** Reads a response as far as it takes to know whether it has any output. */
export async function reviewResponse(context: Uses<"config">, received: Answer): Promise<Reviewed> {
  if (received.kind === "bytes") return { result: received, isRefusal: false };
  if (received.kind === "complete") return { result: received, isRefusal: received.outcome?.() === "filtered" };
  return reviewStream(context, received);
}

type OpenAnswer = Extract<Answer, { kind: "stream" }>;

async function reviewStream({ services: { config } }: Uses<"config">, stream: OpenAnswer): Promise<Reviewed> {
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

/** Ends a response that nobody wants any more. */
export function discardResponse(received: Received): void {
  if (received.kind === "stream") received.exchange.abort();
}

/** The usage that a response which nobody wants has reported so far; null: none. */
export function reportedIn(received: Received): Usage | null {
  if (received.kind === "bytes") return null;
  if (received.kind === "complete") return received.response.reported;
  const { first, view } = received;
  view.take(Buffer.from(first.subarray(0, completeEventsLength(first))));
  return view.usage;
}

/** A response, and whether the provider's content filter withheld all of it. */
export type Reviewed = Readonly<{ result: Answer; isRefusal: boolean }>;

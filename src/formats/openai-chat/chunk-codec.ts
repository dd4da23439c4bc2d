import type { ProviderCodec } from "../conversation/codec.ts";
import { type Reply, ReplyCollector } from "../conversation/collect-reply.ts";
import type { ChatDialect } from "../conversation/conversation.ts";
import type { ReplyEvent, StreamDecoder, WireEvent } from "../conversation/reply.ts";
import { type JsonObject, parseJson, recordOf } from "../json.ts";
import { ChatStreamDecoder } from "./response/stream-decoder.ts";

/**
 * An event as an OpenAI chunk; null if it carries none. `last`: later events are ignored; `withdraws`: it replaces what the
 * events before it said.
 */
export type ParsedEvent = Readonly<{ chunk: JsonObject | null; last: boolean; withdraws?: boolean }>;

/** A service's format whose responses hold no more than OpenAI's chunks do. */
type ChunkedFormat = Readonly<{
  dialect: ChatDialect;
  encodeRequest: ProviderCodec["encodeRequest"];
  /** Creates the event reader of one response. */
  reader(): (body: JsonObject, event: string) => ParsedEvent;
  /** Whether a body is a complete response. */
  isAnswer(body: JsonObject): boolean;
  /** Converts a complete response to the equivalent event; absent if they have the same shape. */
  asEvent?(body: JsonObject): JsonObject;
  decodeError: ProviderCodec["decodeError"];
}>;

/** Makes the codec of a format whose events translate to OpenAI's chunks. */
export function chunkedCodec(table: ChunkedFormat): ProviderCodec {
  const { dialect, encodeRequest, isAnswer, asEvent, decodeError } = table;
  return {
    dialect,
    encodeRequest,
    decodeError,
    streamDecoder: (newId) => new ChunkedDecoder(table, newId),
    decodeReply: (body) =>
      isAnswer(body) ? readCompleteResponse(new ChunkedDecoder(table, idsOf(body)), asEvent?.(body) ?? body) : null,
  };
}

/** Derives missing ids from the response's id, so that they differ between turns. */
function idsOf(body: JsonObject): (prefix: string) => string {
  const seed = String(body.id ?? body.created ?? body.request_id ?? "")
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(-16);
  let made = 0;
  return (prefix) => `${prefix}${seed}${made++}`;
}

/** Reads a complete response as a stream of one event. */
function readCompleteResponse(decoder: ChunkedDecoder, event: JsonObject): Reply | null {
  const collector = new ReplyCollector();
  for (const step of decoder.push({ event: "", data: JSON.stringify(event) })) collector.push(step);
  decoder.ended = true;
  for (const step of decoder.end()) collector.push(step);
  return collector.error ? null : collector.reply;
}

class ChunkedDecoder implements StreamDecoder {
  readonly #chunks: ChatStreamDecoder;
  readonly #read: ReturnType<ChunkedFormat["reader"]>;

  constructor(
    private readonly table: ChunkedFormat,
    newId: (prefix: string) => string,
  ) {
    this.#chunks = new ChatStreamDecoder(newId);
    this.#read = table.reader();
  }

  get ended(): boolean {
    return this.#chunks.ended;
  }

  set ended(ended: boolean) {
    this.#chunks.ended = ended;
  }

  push({ event, data }: WireEvent): ReplyEvent[] {
    const body = recordOf(parseJson(data));
    if (!body) return [];
    const error = this.table.decodeError(200, body);
    if (error) return [{ type: "error", error }];
    const { chunk, last, withdraws } = this.#read(body, event);
    const steps = chunk ? this.#chunks.push({ event: "", data: JSON.stringify(chunk) }) : [];
    if (last) this.#chunks.ended = true;
    return withdraws ? [{ type: "withdrawal", choice: 0 }, ...steps] : steps;
  }

  end(): ReplyEvent[] {
    return this.#chunks.end();
  }
}

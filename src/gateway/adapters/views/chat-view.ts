import type { ReplyError, Usage } from "../../../formats/conversation/reply.ts";
import type { JsonObject } from "../../../formats/json.ts";
import { usageObject } from "../../../formats/openai-chat/response/reply.ts";
import {
  chunkOf,
  countedUsage,
  DONE_EVENT,
  doneEventStart,
  errorEventIn,
  finishErrorIn,
  mentionsUsage,
  readUsageEvents,
  serviceTierIn,
  usageEvent,
  withKnownFinish,
} from "../../../formats/openai-chat/response/stream.ts";
import { errorBody } from "../../../formats/openai-chat/response/stream-encoder.ts";
import { splitEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { GatewayError } from "../../call/errors.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import { errorObject } from "../../request/error-response.ts";
import { bytesOf, type OutputChunk, type StreamView } from "../../upstream/adapter.ts";

const DONE = Buffer.from(DONE_EVENT);
const EMPTY = Buffer.alloc(0);

/**
 * Passes a chat or text completion stream through as bytes; parses only blocks that mention usage. Removes usage that
 * the client did not request, and adds it if requested but missing.
 */
export class ChatView implements StreamView {
  readonly meter = new OutputMeter();
  usage: Usage | null = null;
  /** The usage was in OpenAI's own member. */
  #hasStandardUsage = false;
  failed: string | null = null;
  /** The end marker was received; changed only here. */
  ended = false;
  /** Where it begins in the last block. */
  #done = -1;
  #last: Uint8Array = EMPTY;
  /** The first block, parsed only if usage must be added in its shape. */
  #first: Uint8Array | null = null;
  /** The error of an answer that its provider ended as a failure, which clients would take for a stop. */
  #failure: ReplyError | null = null;

  constructor(
    private readonly keepUsage: boolean,
    private readonly requestId: string,
    /** The upstream's usage is replaced by one whose completion contains its reasoning. */
    private readonly rewritesUsage = false,
  ) {}

  get finished(): boolean {
    return this.ended || this.meter.sawFinish;
  }

  take(events: Uint8Array): Uint8Array {
    const block = withKnownFinish(this.#inspect(events));
    this.#done = doneEventStart(block);
    this.ended = this.#done >= 0;
    this.#last = block;
    if (this.ended && errorEventIn(block) !== null) this.failed = "error event in the stream";
    this.#failure ??= finishErrorIn(block);
    if (this.#failure) this.failed ??= this.#failure.message;
    return block;
  }

  close(written: OutputChunk, billed: Usage): Uint8Array {
    const last = bytesOf(written);
    if (this.#failure) {
      const error = Buffer.from(`data: ${JSON.stringify(errorBody(this.#failure, this.requestId))}\n\n`);
      return Buffer.concat([this.ended ? last.subarray(0, this.#done) : last, error, DONE]);
    }
    const missing = this.keepUsage && !this.#hasStandardUsage && this.failed === null;
    if (!missing) return this.ended ? last : Buffer.concat([last, DONE]);
    const end = this.ended ? this.#done : last.length;
    const usage = this.usage ? usageObject(this.usage) : countedUsage(billed);
    return Buffer.concat([last.subarray(0, end), Buffer.from(usageEvent(this.#firstChunk(), usage)), DONE]);
  }

  broken(error: GatewayError, requestId: string): Uint8Array {
    // The upstream sent an error event without an end marker.
    if (errorEventIn(this.#last) !== null) return DONE;
    return Buffer.from(`data: ${JSON.stringify(errorObject(error, requestId))}\n\n${DONE_EVENT}`);
  }

  /** The first event and the one with the usage name the service tier. */
  #readTier(block: Uint8Array): void {
    const serviceTier = serviceTierIn(block);
    if (serviceTier !== null) this.meter.processedAs({ serviceTier });
  }

  #firstChunk(): JsonObject | null {
    for (const event of splitEvents(textOfBytes(this.#first ?? EMPTY))) {
      const chunk = chunkOf(event);
      if (chunk) return chunk;
    }
    return null;
  }

  /** Reads usage from the block; returns it without events that the client did not request. */
  #inspect(block: Uint8Array): Uint8Array {
    const hasUsage = mentionsUsage(block);
    // Before events that nobody requested are cut out of the block, in place.
    if (!this.#first || hasUsage) this.#readTier(block);
    this.#first ??= block;
    if (!hasUsage) {
      this.meter.push(block);
      return block;
    }
    const { usage, isStandard, block: passed } = readUsageEvents(block, this.keepUsage && !this.rewritesUsage);
    this.usage = usage ?? this.usage;
    this.#hasStandardUsage ||= isStandard && !this.rewritesUsage;
    this.meter.push(passed);
    return passed;
  }
}

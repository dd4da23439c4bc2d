import type { ReplyError, Usage } from "../../../formats/conversation/reply.ts";
import type { JsonObject } from "../../../formats/json.ts";
import {
  doneEventStart,
  readFinishes,
  serviceTierIn,
  USAGE_FIGURE,
} from "../../../formats/openai-chat/response/inspect.ts";
import { usageObject } from "../../../formats/openai-chat/response/reply.ts";
import {
  chunkOf,
  countedUsage,
  DONE_EVENT,
  errorEventIn,
  readUsageEvents,
  usageEvent,
} from "../../../formats/openai-chat/response/stream.ts";
import { errorBody } from "../../../formats/openai-chat/response/stream-encoder.ts";
import { splitEvents } from "../../../lib/http/sse.ts";
import { textOfBytes } from "../../../lib/values/bytes.ts";
import type { GatewayError } from "../../call/errors.ts";
import { OutputMeter } from "../../money/output-meter.ts";
import { errorObject } from "../../request/error-response.ts";
import type { OutputChunk, StreamView } from "../../upstream/adapter.ts";

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
  #last: Buffer = EMPTY;
  /** The first block, parsed only if usage must be added in its shape. */
  #first: Buffer | null = null;
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

  take(events: Buffer): Buffer {
    const { bytes: block, failure } = readFinishes(this.#read(events));
    this.#done = doneEventStart(block);
    this.ended = this.#done >= 0;
    this.#last = block;
    if (this.ended && errorEventIn(block) !== null) this.failed = "error event in the stream";
    this.#failure ??= failure;
    if (this.#failure) this.failed ??= this.#failure.message;
    return block;
  }

  close(written: OutputChunk, billed: Usage): Uint8Array {
    const last = typeof written === "string" ? Buffer.from(written) : written;
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

  #firstChunk(): JsonObject | null {
    for (const event of splitEvents(textOfBytes(this.#first ?? EMPTY))) {
      const chunk = chunkOf(event);
      if (chunk) return chunk;
    }
    return null;
  }

  /** Reads service tier and usage from the block; returns it without events that the client did not request. */
  #read(block: Buffer): Buffer {
    const hasUsage = block.includes(USAGE_FIGURE);
    // The first event and the one with the usage name the tier; that one may be cut out of the block, in place.
    const serviceTier = !this.#first || hasUsage ? serviceTierIn(block) : null;
    if (serviceTier !== null) this.meter.processedAs({ serviceTier });
    this.#first ??= block;
    let passed = block;
    if (hasUsage) {
      const read = readUsageEvents(block, this.keepUsage && !this.rewritesUsage);
      this.usage = read.usage ?? this.usage;
      this.#hasStandardUsage ||= read.isStandard && !this.rewritesUsage;
      passed = read.block;
    }
    this.meter.push(passed);
    return passed;
  }
}

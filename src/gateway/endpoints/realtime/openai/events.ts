import { type JsonObject, parseJson, recordOf, textOf } from "../../../../formats/json.ts";
import { openaiChatClientCodec } from "../../../../formats/openai-chat/index.ts";
import { readOpenAi } from "../../../../formats/openai-chat/request/summary.ts";
import type { Endpoint } from "../../../call/endpoint.ts";
import { realtimeRules } from "../filters/request-rules.ts";
import { transcriptionModelOf } from "../filters/transcription-model.ts";
import { RealtimeWordFilter, type WordFilterContext } from "../filters/word-filter.ts";
import { TranslatedEvents } from "../live/openai/events.ts";
import { type Charge, readRealtimeUsage } from "../metering/billing.ts";
import { limitsIn, NO_LIMITS } from "../metering/response-limits.ts";
import { RealtimeMeter } from "../metering/session-meter.ts";
import { type Frame, textOfFrame } from "../pipe.ts";
import type { SessionOrigin } from "../response-call.ts";
import { errorEvent } from "../session-end.ts";
import type { OpeningFrames, RealtimeProtocol, SessionEvents, UpstreamFrames } from "../sockets.ts";

const NOTHING = { forward: [], reply: [] } as const;

/** GET /v1/realtime: a session over a WebSocket; each response in it is a call of its own. */
const realtime: Endpoint = {
  capability: "realtime",
  translatesTo: "live",
  codec: openaiChatClientCodec,
  rules: realtimeRules,
  streams: true,
  emptyIsFree: false,
  read: readOpenAi,
};

/** OpenAI's realtime API: the URL names the model, each `response.done` reports what it costs. */
export const openaiRealtime: RealtimeProtocol = {
  endpoint: realtime,
  events: (context, origin) => new OpenAiEvents(context, origin),
  translated: (context, origin, { provider }) =>
    provider.capabilities.includes("realtime") ? null : new TranslatedEvents(context, origin),
  describe: (error, requestId) => ({
    frame: JSON.stringify(errorEvent(error, requestId)),
    reason: String(error.code ?? error.type),
  }),
};

/** The events of one session. */
class OpenAiEvents implements SessionEvents {
  readonly #meter = new RealtimeMeter();
  readonly #words: RealtimeWordFilter;
  /** Responses in progress: id → `performance.now()` at their beginning. */
  readonly #responses = new Map<string, number>();
  #transcriber = "";
  /** What the session sets, and the response that was asked for last. */
  #sessionLimits = NO_LIMITS;
  limits = NO_LIMITS;

  constructor(
    context: WordFilterContext,
    private readonly origin: SessionOrigin,
  ) {
    this.#words = new RealtimeWordFilter(context, origin);
  }

  get isBusy(): boolean {
    return this.#responses.size > 0;
  }

  opening(): OpeningFrames {
    return { toUpstream: [], toClient: [] };
  }

  client(frame: Frame) {
    const text = textOfFrame(frame);
    const event = recordOf(parseJson(text));
    const refusal = this.#words.refusalOf(text, event);
    if (refusal) return { forward: [], reply: [refusal.frame], refused: refusal.refused };
    if (!event) return NOTHING;
    this.#meter.client(event);
    const asksResponse = event.type === "response.create";
    if (asksResponse) this.limits = limitsIn(event.response, this.#sessionLimits);
    return { forward: [frame], reply: [], asksResponse };
  }

  upstream(frame: Frame): UpstreamFrames {
    const event = recordOf(parseJson(textOfFrame(frame)));
    const { toClient, toUpstream } = this.#words.fromUpstream(frame, event);
    const frames = { toClient, toUpstream, charge: null, transcription: null, error: null };
    if (!event) return frames;
    this.#meter.upstream(event);
    switch (event.type) {
      case "session.created":
      case "session.updated":
        this.#transcriber = transcriptionModelOf(recordOf(event.session));
        this.#sessionLimits = limitsIn(event.session, this.#sessionLimits);
        this.limits = this.#sessionLimits;
        return frames;
      case "response.created":
        this.#responses.set(textOf(recordOf(event.response)?.id) ?? "", performance.now());
        return frames;
      case "response.done":
        this.limits = this.#sessionLimits;
        return { ...frames, charge: this.#chargeOf(recordOf(event.response) ?? {}) };
      case "conversation.item.input_audio_transcription.completed": {
        const reported = readRealtimeUsage(event.usage);
        const model = this.#transcriber || this.origin.model;
        return { ...frames, transcription: reported && { model, reported, text: textOf(event.transcript) ?? "" } };
      }
      default:
        return frames;
    }
  }

  rest(): Omit<Charge, "ending"> | null {
    if (!this.#meter.hasOutput) return null;
    const [startedAtMs = performance.now()] = this.#responses.values();
    return this.#words.toLog({ reported: null, content: this.#meter.take(), startedAtMs });
  }

  #chargeOf(response: JsonObject): Charge | null {
    const id = textOf(response.id) ?? "";
    const startedAtMs = this.#responses.get(id) ?? performance.now();
    this.#responses.delete(id);
    const reported = readRealtimeUsage(response.usage);
    if (!reported && !this.#meter.hasOutput) return null;
    const failed = response.status === "failed";
    const serviceTier = textOf(response.service_tier);
    const error = textOf(recordOf(recordOf(response.status_details)?.error)?.message);
    const charge: Charge = {
      reported,
      content: this.#meter.take(),
      ...(serviceTier !== null && { processing: { serviceTier } }),
      startedAtMs,
      ending: failed ? "upstream_failed" : "complete",
      ...(failed && { error: error ?? { code: "gateway_response_failed" } }),
    };
    return this.#words.toLog(charge);
  }
}

import { type JsonObject, parseJson, recordOf, textOf } from "../../../../../formats/json.ts";
import { GatewayError } from "../../../../call/errors.ts";
import type { Route } from "../../../../call/route.ts";
import { invalidRequest } from "../../../../request/client-body.ts";
import { requestsBeta } from "../../connect.ts";
import type { WordFilterContext } from "../../filters/word-filter.ts";
import { RealtimeWordFilter } from "../../filters/word-filter.ts";
import type { Charge } from "../../metering/billing.ts";
import { type Frame, textOfFrame } from "../../pipe.ts";
import type { SessionOrigin } from "../../response-call.ts";
import { CLOSE, errorEvent } from "../../session-end.ts";
import type { OpeningFrames, SessionEvents, UpstreamFrames } from "../../sockets.ts";
import { LiveTurns, withUsageNames } from "../turns.ts";
import { RealtimeTranslator } from "./translator.ts";

const NOTHING = { forward: [], reply: [] } as const;

/** No status was in the close frame: https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const NO_STATUS = 1005;

const framesOf = (messages: readonly JsonObject[]): string[] => messages.map((message) => JSON.stringify(message));

/** The frames of a client of OpenAI's Realtime API in a session of Google's Live API. */
export class TranslatedEvents implements SessionEvents {
  readonly #turns = new LiveTurns();
  readonly #words: RealtimeWordFilter;
  /** Its events have other names, by which the client would wait in vain. */
  readonly #isBeta: boolean;
  #usageNames: Readonly<Record<string, string>> = {};
  #translator = new RealtimeTranslator("", "", "");

  constructor(
    context: WordFilterContext,
    private readonly origin: SessionOrigin,
  ) {
    this.#words = new RealtimeWordFilter(context, origin, false);
    this.#isBeta = requestsBeta(origin.request.headers);
  }

  get isBusy(): boolean {
    return this.#turns.isBusy;
  }

  opening({ provider, channel, key, upstreamModel }: Route): OpeningFrames {
    const params = { key, model: upstreamModel, requestedModel: this.origin.model };
    this.#usageNames = provider.live?.usageNames ?? {};
    const liveModel = provider.live?.modelName(channel, params) ?? `models/${upstreamModel}`;
    this.#translator = new RealtimeTranslator(this.origin.model, liveModel, upstreamModel);
    return { toUpstream: [], toClient: framesOf(this.#translator.opening().events) };
  }

  client(frame: Frame) {
    const text = textOfFrame(frame);
    const event = recordOf(parseJson(text));
    const refusal = this.#words.refusalOf(text, event);
    if (refusal) return { forward: [], reply: [refusal.frame], refused: refusal.refused };
    if (!event) return NOTHING;
    try {
      if (this.#isBeta) throw invalidRequest({ code: "gateway_live_beta" });
      const { live, events } = this.#translator.client(event);
      for (const message of live) this.#turns.client(message);
      const asksResponse = event.type === "response.create";
      return { forward: framesOf(live), reply: framesOf(events), asksResponse };
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      const reply = JSON.stringify(errorEvent(error, this.origin.requestId, textOf(event.event_id)));
      return { forward: [], reply: [reply] };
    }
  }

  upstream(frame: Frame): UpstreamFrames {
    const received = recordOf(parseJson(textOfFrame(frame))) ?? {};
    const message = withUsageNames(received, this.#usageNames) ?? received;
    const charge = this.#turns.upstream(message);
    const { live, events } = this.#translator.upstream(message, charge?.reported ?? null);
    for (const sent of live) this.#turns.client(sent);
    const toClient: Frame[] = [];
    const toUpstream: Frame[] = framesOf(live);
    for (const event of events) {
      const filtered = this.#words.fromUpstream(JSON.stringify(event), event);
      toClient.push(...filtered.toClient);
      for (const stop of filtered.toUpstream) {
        const stopped = this.#stop(recordOf(parseJson(textOfFrame(stop))) ?? {});
        toClient.push(...stopped.toClient);
        toUpstream.push(...stopped.toUpstream);
      }
    }
    const guarded = charge && this.#words.toLog(charge);
    return { toClient, toUpstream, charge: guarded, transcription: null, error: null };
  }

  rest(): Omit<Charge, "ending"> | null {
    const rest = this.#turns.rest();
    return rest && this.#words.toLog(rest);
  }

  closeError(code: number, reason: string): GatewayError | null {
    if (code === CLOSE.normal || code === NO_STATUS) return null;
    return new GatewayError(502, "upstream_closed", reason || { code: "gateway_socket_broken" }, {
      type: "upstream_error",
    });
  }

  /** Cancels a response because of a forbidden word. */
  #stop(cancel: JsonObject): OpeningFrames {
    const { live, events } = this.#translator.client(cancel);
    const passed = events.map((event) => this.#words.fromUpstream(JSON.stringify(event), event));
    return { toUpstream: framesOf(live), toClient: passed.flatMap(({ toClient }) => toClient) };
  }
}

import type { PolicySet } from "../../../domain/accounts/organizations/policies/policy.ts";
import { type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { refusePolicyWords } from "../../auth/policies.ts";
import { refuseBlockedWords } from "../../auth/word-filter.ts";
import type { GatewayContext } from "../../call/context.ts";
import { GatewayError } from "../../call/errors.ts";
import { checkRequest, invalidRequest } from "../../http/client-body.ts";
import type { Frame } from "../pipe.ts";
import { realtimeRules } from "../request-rules.ts";
import { callerOf, type SessionOrigin } from "../response-call.ts";
import { errorEvent } from "../session-end.ts";
import { clientTexts } from "./client-texts.ts";
import { TranscriptFilter } from "./transcript-filter.ts";
import { refuseTranscriptionModel } from "./transcription-model.ts";

/** What to send to the client and back to the upstream for an upstream's frame. */
type FilteredFrame = Readonly<{ toClient: readonly Frame[]; toUpstream: Frame | null }>;

/** The id of the gateway's own event that cancels a response. */
const STOP_ID = "evt_not_allowed";

/** Applies the site's word filter to a session in both directions. */
export class RealtimeWordFilter {
  readonly #transcripts: TranscriptFilter;

  /** Null: not read yet. */
  #policies: PolicySet | undefined | null = null;

  constructor(
    private readonly context: GatewayContext,
    private readonly origin: SessionOrigin,
  ) {
    this.#transcripts = new TranscriptFilter(context.services.settings);
  }

  /**
   * The error for a client's event that must not be forwarded: it is no JSON object, other parsers may read it
   * differently, it requests another model than the session's or a transcription model that the key lacks, or it
   * contains forbidden words. Null: forward it.
   * `event` is the parsed `text`.
   */
  refusalOf(text: string, event: JsonObject | null): Frame | null {
    try {
      if (!event) throw invalidRequest({ code: "gateway_event_no_object" });
      checkRequest(text, event, realtimeRules);
      this.#refuseOtherModel(event);
      refuseTranscriptionModel(this.context, this.origin, event);
      refuseBlockedWords(this.context.services.settings, clientTexts(event));
      if (this.#policies === null) this.#policies = callerOf(this.context, this.origin).policies;
      if (this.#policies) refusePolicyWords(this.#policies, clientTexts(event));
      return null;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.context.metrics.refused(error.status);
      return JSON.stringify(errorEvent(error, this.origin.requestId, textOf(event?.event_id)));
    }
  }

  /** The model was authorized and priced when the session began, so it cannot change. */
  #refuseOtherModel(event: JsonObject): void {
    for (const name of ["session", "response"] as const) {
      const model = recordOf(event[name])?.model;
      if (model == null || model === this.origin.model) continue;
      throw invalidRequest({ code: "gateway_session_model", params: { model: this.origin.model } }, `${name}.model`);
    }
  }

  /** Filters a frame of the upstream; `event` is null if it is not JSON. */
  fromUpstream(frame: Frame, event: JsonObject | null): FilteredFrame {
    // The upstream rejects cancelling a response that has ended: only the gateway requested that.
    if (event?.type === "error" && recordOf(event.error)?.event_id === STOP_ID)
      return { toClient: [], toUpstream: null };
    const passed = event && this.#transcripts.pass(event);
    if (!passed) return { toClient: [frame], toUpstream: null };
    const { events, cancel } = passed;
    const stop = cancel === null ? null : { type: "response.cancel", event_id: STOP_ID, response_id: cancel };
    return { toClient: events.map((filtered) => JSON.stringify(filtered)), toUpstream: stop && JSON.stringify(stop) };
  }
}

import type { PolicySet } from "../../../../domain/accounts/organizations/policies/policy.ts";
import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { lookupTable } from "../../../../lib/values/lookup-table.ts";
import type { SettingsReader } from "../../../../settings/settings.ts";
import { refusePolicyWords } from "../../../auth/policies.ts";
import { GatewayError } from "../../../call/errors.ts";
import type { CallTools } from "../../../call/services.ts";
import { applyFilters, type StepFilter } from "../../../call/words/step-filter.ts";
import { refuseBlockedWords, responseFilters } from "../../../call/words/word-filter.ts";
import { checkRequest, invalidRequest } from "../../../request/client-body.ts";
import type { Frame } from "../pipe.ts";
import { callerOf, type SessionOrigin } from "../response-call.ts";
import { errorEvent } from "../session-end.ts";
import { clientTexts } from "./client-texts.ts";
import { realtimeRules } from "./request-rules.ts";
import type { TranscriptionModelContext } from "./transcription-model.ts";
import { refuseTranscriptionModel } from "./transcription-model.ts";

/** What these functions work with. */
export type WordFilterContext = TranscriptionModelContext & Pick<CallTools, "metrics">;

/** What to send to the client and back to the upstream for an upstream's frame. */
type FilteredFrame = Readonly<{ toClient: readonly Frame[]; toUpstream: readonly Frame[] }>;

/** The id of the gateway's own event that cancels a response. */
const STOP_ID = "evt_not_allowed";

/** Applies the site's word filter to a session in both directions. */
export class RealtimeWordFilter {
  readonly #transcripts: TranscriptFilter;

  /** Null: not read yet. */
  #policies: PolicySet | undefined | null = null;

  constructor(
    private readonly context: WordFilterContext,
    private readonly origin: SessionOrigin,
    /** Transcripts are made, and charged, by a model of their own. */
    private readonly hasTranscriber = true,
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
      if (this.hasTranscriber) refuseTranscriptionModel(this.context, this.origin, event);
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
    if (event?.type === "error" && recordOf(event.error)?.event_id === STOP_ID) return { toClient: [], toUpstream: [] };
    const passed = event && this.#transcripts.pass(event);
    if (!passed) return { toClient: [frame], toUpstream: [] };
    const { events, cancel } = passed;
    const stop = { type: "response.cancel", event_id: STOP_ID, response_id: cancel };
    const toUpstream = cancel === null ? [] : [JSON.stringify(stop)];
    return { toClient: events.map((filtered) => JSON.stringify(filtered)), toUpstream };
  }
}

/** The events for the client in place of an upstream event, and the id of a response to cancel. */
type Passed = Readonly<{ events: readonly JsonObject[]; cancel: string | null }>;

/** A text that is still streaming. */
type Open = { filters: readonly StepFilter[]; response: string; last: JsonObject };

/** Delta events of text, and the member of the final event with the complete text. */
const COMPLETE_FIELD = lookupTable<"text" | "transcript">({
  "response.output_text": "text",
  "response.text": "text",
  "response.output_audio_transcript": "transcript",
  "response.audio_transcript": "transcript",
});

/**
 * Filters forbidden words from a model's text and audio transcripts in a session: masks them, or ends the response at
 * the first one, including its audio.
 */
export class TranscriptFilter {
  readonly #open = new Map<string, Open>();
  /** Responses that ended because of a forbidden word. */
  readonly #stopped = new Set<string>();

  #makers: readonly (() => StepFilter)[] = [];
  /** The version of the settings from which `#makers` were created. */
  #version = -1;

  constructor(private readonly settings: SettingsReader) {}

  /** Takes an event of the upstream; null: forward it unchanged. */
  pass(event: JsonObject): Passed | null {
    const makers = this.#filters();
    if (makers.length === 0 && this.#open.size === 0 && this.#stopped.size === 0) return null;
    const type = textOf(event.type) ?? "";
    const response = textOf(event.response_id) ?? textOf(recordOf(event.response)?.id) ?? "";
    if (type.endsWith(".delta")) return this.#piece(event, response, makers);
    const forward = (events: readonly JsonObject[]): Passed => ({ events, cancel: null });
    const field = type.endsWith(".done") ? COMPLETE_FIELD[type.slice(0, -".done".length)] : undefined;
    if (field) return forward([...this.#rest(keyOf(event)), { ...event, [field]: filteredText(makers, event[field]) }]);
    if (type === "response.done")
      return forward([...this.#restOf(response), this.#ended(withFilteredTexts(makers, event), response)]);
    return event.part || event.item || event.response ? forward([withFilteredTexts(makers, event)]) : null;
  }

  #filters(): readonly (() => StepFilter)[] {
    const { version } = this.settings;
    if (version !== this.#version) {
      this.#version = version;
      this.#makers = responseFilters(this.settings);
    }
    return this.#makers;
  }

  #piece(event: JsonObject, response: string, makers: readonly (() => StepFilter)[]): Passed | null {
    if (this.#stopped.has(response)) return { events: [], cancel: null };
    if (!COMPLETE_FIELD[textOf(event.type)?.slice(0, -".delta".length) ?? ""]) return null;
    const key = keyOf(event);
    const open = this.#open.get(key) ?? { filters: makers.map((make) => make()), response, last: event };
    open.last = event;
    this.#open.set(key, open);
    const { text, isStopped } = filterText(open.filters, { type: "text", choice: 0, text: textOf(event.delta) ?? "" });
    if (isStopped) this.#stopped.add(response);
    return { events: text === "" ? [] : [{ ...event, delta: text }], cancel: isStopped ? response : null };
  }

  /** The text held back, when a text is complete. */
  #rest(key: string): JsonObject[] {
    const open = this.#open.get(key);
    this.#open.delete(key);
    if (!open || this.#stopped.has(open.response)) return [];
    const { text } = filterText(open.filters, END);
    return text === "" ? [] : [{ ...open.last, delta: text }];
  }

  #restOf(response: string): JsonObject[] {
    const keys = [...this.#open].flatMap(([key, open]) => (open.response === response ? [key] : []));
    return keys.flatMap((key) => this.#rest(key));
  }

  #ended(event: JsonObject, id: string): JsonObject {
    const response = recordOf(event.response);
    if (!this.#stopped.delete(id) || response?.status === "failed") return event;
    const filtered = { status: "incomplete", status_details: { type: "incomplete", reason: "content_filter" } };
    return { ...event, response: { ...response, ...filtered } };
  }
}

/** The end of a text. */
export const END = { type: "finish", choice: 0, reason: "stop", native: null } as const;

const keyOf = ({ item_id, output_index, content_index }: JsonObject): string =>
  JSON.stringify([item_id, output_index, content_index]);

/** A text after filtering, and whether the filters end the response. */
export function filterText(
  filters: readonly StepFilter[],
  step: Parameters<StepFilter>[0],
): { text: string; isStopped: boolean } {
  let text = "";
  let isStopped = false;
  for (const passed of applyFilters(filters, step)) {
    if (passed.type === "text") text += passed.text;
    else if (passed.type === "finish") isStopped = passed.reason === "content_filter";
  }
  return { text, isStopped };
}

/** A complete text after filtering. */
function filteredText(makers: readonly (() => StepFilter)[], value: unknown): unknown {
  const text = textOf(value);
  if (text === null) return value;
  const filters = makers.map((make) => make());
  return filterText(filters, { type: "text", choice: 0, text }).text + filterText(filters, END).text;
}

/** An event with a part, an item or a response, whose model output is filtered. */
function withFilteredTexts(makers: readonly (() => StepFilter)[], event: JsonObject): JsonObject {
  const cleanPart = (part: JsonObject): JsonObject => ({
    ...part,
    ...(part.text !== undefined && { text: filteredText(makers, part.text) }),
    ...(part.transcript !== undefined && { transcript: filteredText(makers, part.transcript) }),
  });
  const cleanItem = (item: JsonObject): JsonObject =>
    item.role === "assistant" && Array.isArray(item.content)
      ? { ...item, content: recordsOf(item.content).map(cleanPart) }
      : item;
  const part = recordOf(event.part);
  const item = recordOf(event.item);
  const response = recordOf(event.response);
  return {
    ...event,
    ...(part && { part: cleanPart(part) }),
    ...(item && { item: cleanItem(item) }),
    ...(response &&
      Array.isArray(response.output) && {
        response: { ...response, output: recordsOf(response.output).map(cleanItem) },
      }),
  };
}

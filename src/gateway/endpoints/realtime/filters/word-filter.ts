import { type JsonObject, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { lookupTable } from "../../../../lib/values/lookup-table.ts";
import type { Caller } from "../../../call/caller.ts";
import { GatewayError } from "../../../call/errors.ts";
import { type LoggedTexts, SessionGuard } from "../../../call/guardrails/answer/session-guard.ts";
import type { StepFilter } from "../../../call/guardrails/answer/step-filter.ts";
import { emptyGuardLog } from "../../../call/guardrails/call-guard.ts";
import { refuseForbidden } from "../../../call/guardrails/request/refuse-forbidden.ts";
import type { CallTools } from "../../../call/services.ts";
import { checkRequest, invalidRequest } from "../../../request/client-body.ts";
import type { Frame } from "../pipe.ts";
import { callerOf, type SessionOrigin } from "../response-call.ts";
import { errorEvent } from "../session-end.ts";
import type { Refused } from "../sockets.ts";
import { clientTexts } from "./client-texts.ts";
import { realtimeRules } from "./request-rules.ts";
import type { TranscriptionModelContext } from "./transcription-model.ts";
import { refuseTranscriptionModel } from "./transcription-model.ts";

/** What these functions work with. */
export type WordFilterContext = TranscriptionModelContext & Pick<CallTools, "metrics">;

/** An event that is not forwarded: what its client gets, and what the log says. */
type RefusedEvent = Readonly<{ frame: Frame; refused: Refused }>;

/** What to send to the client and back to the upstream for an upstream's frame. */
type FilteredFrame = Readonly<{ toClient: readonly Frame[]; toUpstream: readonly Frame[] }>;

/** The id of the gateway's own event that cancels a response. */
const STOP_ID = "evt_not_allowed";

/** Applies the site's word filter and guardrails to a session in both directions. */
export class RealtimeWordFilter {
  readonly #guard: SessionGuard;
  readonly #transcripts: TranscriptFilter;

  /** Null: not read yet. */
  #caller: Caller | null = null;

  constructor(
    private readonly context: WordFilterContext,
    private readonly origin: SessionOrigin,
    /** Transcripts are made, and charged, by a model of their own. */
    private readonly hasTranscriber = true,
  ) {
    const caller = () => this.#currentCaller();
    this.#guard = new SessionGuard(context.services.settings, origin.model, caller);
    this.#transcripts = new TranscriptFilter(this.#guard);
  }

  #currentCaller(): Caller {
    this.#caller ??= callerOf(this.context, this.origin);
    return this.#caller;
  }

  /** A response as the log has it. */
  toLog<Logged extends Readonly<{ content: LoggedTexts }>>(logged: Logged): Logged {
    return this.#guard.toLog(logged);
  }

  /**
   * The error for a client's event that must not be forwarded: it is no JSON object, other parsers may read it
   * differently, it requests another model than the session's or a transcription model that the key lacks, or it
   * contains forbidden words. Null: forward it.
   * `event` is the parsed `text`.
   */
  refusalOf(text: string, event: JsonObject | null): RefusedEvent | null {
    const guard = emptyGuardLog();
    try {
      if (!event) throw invalidRequest({ code: "gateway_event_no_object" });
      checkRequest(text, event, realtimeRules);
      this.#refuseOtherModel(event);
      if (this.hasTranscriber) refuseTranscriptionModel(this.context, this.origin, event);
      refuseForbidden(this.context, this.#currentCaller(), this.origin.model, clientTexts(event), {
        note: (verdict) => guard.verdicts.push(verdict),
      });
      this.#guard.note(guard.verdicts);
      return null;
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      this.context.metrics.refused(error.status);
      const frame = JSON.stringify(errorEvent(error, this.origin.requestId, textOf(event?.event_id)));
      return { frame, refused: { error, guard } };
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

const TOOL_INPUT = "response.function_call_arguments";

/**
 * Applies guardrails to a model's text, audio transcripts and calls of tools in a session: masks what they find, or ends the
 * response there, including its audio.
 */
export class TranscriptFilter {
  readonly #open = new Map<string, Open>();
  /** Responses that a guardrail has ended. */
  readonly #stopped = new Set<string>();
  /** The names of tools by the item that calls them. */
  readonly #tools = new Map<string, string>();

  constructor(private readonly guard: SessionGuard) {}

  /** Takes an event of the upstream; null: forward it unchanged. */
  pass(event: JsonObject): Passed | null {
    if (this.guard.isIdle && this.#open.size === 0 && this.#stopped.size === 0) return null;
    const type = textOf(event.type) ?? "";
    const response = textOf(event.response_id) ?? textOf(recordOf(event.response)?.id) ?? "";
    if (type.startsWith(TOOL_INPUT)) return this.#toolInput(event, response, type.endsWith(".done"));
    if (type.endsWith(".delta")) return this.#piece(event, response);
    const field = type.endsWith(".done") ? COMPLETE_FIELD[type.slice(0, -".done".length)] : undefined;
    if (field) {
      const { events, cancel } = this.#rest([keyOf(event)]);
      return { events: [...events, { ...event, [field]: this.#text(event[field]) }], cancel };
    }
    if (type === "response.done") {
      const open = [...this.#open].flatMap(([key, each]) => (each.response === response ? [key] : []));
      const { events } = this.#rest(open);
      return forward([...events, this.#ended(this.#withFilteredTexts(event), response)]);
    }
    if (type === "response.output_item.added") this.#noteTool(recordOf(event.item));
    return event.part || event.item || event.response ? forward([this.#withFilteredTexts(event)]) : null;
  }

  #noteTool(item: JsonObject | null): void {
    const [id, name] = [textOf(item?.id), textOf(item?.name)];
    if (id !== null && name !== null && this.guard.readsTools) this.#tools.set(id, name);
  }

  #piece(event: JsonObject, response: string): Passed | null {
    if (this.#stopped.has(response)) return NOTHING;
    if (!COMPLETE_FIELD[textOf(event.type)?.slice(0, -".delta".length) ?? ""]) return null;
    const key = keyOf(event);
    const open = this.#open.get(key) ?? { filters: this.guard.begin(), response, last: event };
    open.last = event;
    this.#open.set(key, open);
    const { text, isStopped } = this.guard.pass(open.filters, textOf(event.delta) ?? "");
    if (isStopped) this.#stopped.add(response);
    return { events: text === "" ? [] : [{ ...event, delta: text }], cancel: isStopped ? response : null };
  }

  /** The input of a tool is sent when it is complete. */
  #toolInput(event: JsonObject, response: string, isDone: boolean): Passed | null {
    if (this.#stopped.has(response)) return NOTHING;
    if (!this.guard.readsTools) return null;
    if (!isDone) return NOTHING;
    const name = textOf(event.name) ?? this.#tools.get(textOf(event.item_id) ?? "") ?? "";
    const { text, isStopped } = this.guard.tool(name, textOf(event.arguments) ?? "");
    if (isStopped) {
      this.#stopped.add(response);
      return { events: [], cancel: response };
    }
    const { arguments: _, name: __, ...about } = event;
    return forward([
      { ...about, type: `${TOOL_INPUT}.delta`, delta: text },
      { ...event, arguments: text },
    ]);
  }

  /** What was held back of texts that are complete; it may be what is blocked. */
  #rest(keys: readonly string[]): Passed {
    const events: JsonObject[] = [];
    let cancel: string | null = null;
    for (const key of keys) {
      const open = this.#open.get(key);
      this.#open.delete(key);
      if (!open || this.#stopped.has(open.response)) continue;
      const { text, isStopped } = this.guard.pass(open.filters, null);
      if (text !== "") events.push({ ...open.last, delta: text });
      if (!isStopped) continue;
      this.#stopped.add(open.response);
      cancel = open.response;
    }
    return { events, cancel };
  }

  #ended(event: JsonObject, id: string): JsonObject {
    this.#tools.clear();
    const response = recordOf(event.response);
    if (!this.#stopped.delete(id) || response?.status === "failed") return event;
    const filtered = { status: "incomplete", status_details: { type: "incomplete", reason: "content_filter" } };
    return { ...event, response: { ...response, ...filtered } };
  }

  /** A complete text after filtering. */
  #text(value: unknown): unknown {
    const text = textOf(value);
    return text === null ? value : this.guard.text(text);
  }

  /** An event with a part, an item or a response, whose model output is filtered. */
  #withFilteredTexts(event: JsonObject): JsonObject {
    const part = recordOf(event.part);
    const item = recordOf(event.item);
    const response = recordOf(event.response);
    const output = recordsOf(response?.output).map((one) => this.#item(one));
    return {
      ...event,
      ...(part && { part: this.#part(part) }),
      ...(item && { item: this.#item(item) }),
      ...(response && Array.isArray(response.output) && { response: { ...response, output } }),
    };
  }

  #part(part: JsonObject): JsonObject {
    return {
      ...part,
      ...(part.text !== undefined && { text: this.#text(part.text) }),
      ...(part.transcript !== undefined && { transcript: this.#text(part.transcript) }),
    };
  }

  #item(item: JsonObject): JsonObject {
    if (item.type === "function_call" && this.guard.readsTools) {
      const { text } = this.guard.tool(textOf(item.name) ?? "", textOf(item.arguments) ?? "", true);
      return { ...item, arguments: text };
    }
    return item.role === "assistant" && Array.isArray(item.content)
      ? { ...item, content: recordsOf(item.content).map((part) => this.#part(part)) }
      : item;
  }
}

const forward = (events: readonly JsonObject[]): Passed => ({ events, cancel: null });
const NOTHING: Passed = { events: [], cancel: null };

const keyOf = ({ item_id, output_index, content_index }: JsonObject): string =>
  JSON.stringify([item_id, output_index, content_index]);

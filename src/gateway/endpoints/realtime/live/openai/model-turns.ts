import type { Usage } from "../../../../../formats/conversation/reply.ts";
import { type JsonObject, recordOf, recordsOf, textOf, textsOf } from "../../../../../formats/json.ts";
import { AudioConverter, PCM_24K } from "./audio.ts";
import type { PendingItems } from "./pending.ts";
import { COMPLETED, cancelledBy, type Items, newId, type ResponseEnd, ResponseWriter } from "./response.ts";
import type { LiveSettings } from "./settings.ts";
import type { UserSpeech } from "./speech.ts";

/** Writes what the model sends as events of responses. */
export class ModelTurns {
  #response: ResponseWriter | null = null;
  #converter: AudioConverter | null = null;
  #hasOutput = false;
  #isInterrupted = false;
  /** A response that the client cancelled: its rest is ignored until its turn ends, or once interrupted a new one begins. */
  #ignored: "nothing" | "turn" | "end" = "nothing";

  constructor(
    private readonly settings: LiveSettings,
    private readonly items: Items,
    private readonly speech: UserSpeech,
    private readonly pending: PendingItems,
  ) {}

  get isBusy(): boolean {
    return this.#response !== null;
  }

  /** The client requested a response. */
  begin(): JsonObject[] {
    if (this.#response) return [];
    this.#response = new ResponseWriter(this.items, this.settings);
    return [this.#response.begin()];
  }

  /** The client cancels the response. */
  cancel(): JsonObject[] {
    if (!this.#response) return [];
    this.#ignored = this.#hasOutput ? "turn" : "end";
    return this.#end(cancelledBy("client_cancelled"), null);
  }

  /** Takes a message; `usage`: what the turn that it ends has cost. */
  upstream(message: JsonObject, usage: Usage | null): JsonObject[] {
    const content = recordOf(message.serverContent);
    const activity = recordOf(message.voiceActivity)?.voiceActivityType;
    const transcript = textOf(recordOf(content?.inputTranscription)?.text) ?? "";
    this.pending.cancelled(textsOf(recordOf(message.toolCallCancellation)?.ids));
    const begins = content?.modelTurn !== undefined || message.toolCall !== undefined;
    return [
      ...(activity === "ACTIVITY_START" ? this.speech.start() : []),
      ...(activity === "ACTIVITY_END" ? this.speech.commit() : []),
      ...(transcript === "" ? [] : this.speech.transcribed(transcript)),
      ...(this.#ignores(content, begins) ? [] : this.#turn(message, content, usage)),
    ];
  }

  /** Whether what the model made belongs to a response that the client cancelled. */
  #ignores(content: JsonObject | null, begins: boolean): boolean {
    if (this.#ignored === "nothing") return false;
    if (this.#ignored === "end" && begins) {
      this.#ignored = "nothing";
      return false;
    }
    if (content?.turnComplete === true) this.#ignored = "nothing";
    else if (content?.interrupted === true) this.#ignored = "end";
    return true;
  }

  #turn(message: JsonObject, content: JsonObject | null, usage: Usage | null): JsonObject[] {
    const calls = recordsOf(recordOf(message.toolCall)?.functionCalls);
    const events: JsonObject[] = [];
    if (content?.interrupted === true && this.#response && !this.settings.isManual) {
      this.#isInterrupted = true;
      events.push(...this.speech.interrupted());
    }
    for (const part of recordsOf(recordOf(content?.modelTurn)?.parts)) events.push(...this.#part(part));
    const text = textOf(recordOf(content?.outputTranscription)?.text) ?? "";
    if (text !== "") events.push(...this.#written((response) => response.transcript(text)));
    for (const call of calls) events.push(...this.#call(call));
    if (calls.length > 0) events.push(...this.#end(COMPLETED, usage));
    else if (content?.turnComplete === true) events.push(...this.#complete(content, usage));
    return events;
  }

  #complete(content: JsonObject, usage: Usage | null): JsonObject[] {
    const end = this.#isInterrupted ? cancelledBy("turn_detected") : endOf(textOf(content.turnCompleteReason));
    return [...(this.#response ? this.#end(end, usage) : []), ...(this.#isInterrupted ? [] : this.speech.finish())];
  }

  #part(part: JsonObject): JsonObject[] {
    if (part.thought === true) return [];
    const blob = recordOf(part.inlineData);
    const type = textOf(blob?.mimeType) ?? "";
    if (type.startsWith("audio/")) {
      const rate = Number(/\brate=(\d+)/.exec(type)?.[1] ?? PCM_24K.rate) || PCM_24K.rate;
      this.#converter ??= new AudioConverter({ type: "audio/pcm", rate }, this.settings.outputFormat);
      const audio = this.#converter.convert(textOf(blob?.data) ?? "");
      return this.#written((response) => response.audio(audio));
    }
    const text = textOf(part.text) ?? "";
    if (text === "") return [];
    return this.#written((response) => (this.settings.isAudio ? response.transcript(text) : response.text(text)));
  }

  #call(call: JsonObject): JsonObject[] {
    const id = textOf(call.id) ?? newId("call");
    const name = textOf(call.name) ?? "";
    this.pending.called(id, name);
    return this.#written((response) => response.call(id, name, JSON.stringify(recordOf(call.args) ?? {})));
  }

  /** Writes to the response in progress, which begins with it. */
  #written(write: (response: ResponseWriter) => JsonObject[]): JsonObject[] {
    const before = this.#isInterrupted && this.#response ? this.#end(cancelledBy("turn_detected"), null) : [];
    const committed = this.#response ? [] : this.speech.answered();
    this.#hasOutput = true;
    const begun = this.begin();
    return [...before, ...committed, ...begun, ...(this.#response ? write(this.#response) : [])];
  }

  #end(end: ResponseEnd, usage: Usage | null): JsonObject[] {
    const response = this.#response;
    if (!response) return [];
    const rest = end.status === "completed" ? response.audio(this.#converter?.end() ?? "") : [];
    this.#response = null;
    this.#converter = null;
    this.#isInterrupted = this.#hasOutput = false;
    return [...rest, ...response.end(end, usage)];
  }
}

const FAILED = /^(?:MALFORMED|MAX_)/;

/** How a turn ended, in OpenAI's terms. */
function endOf(reason: string | null): ResponseEnd {
  if (reason === null || reason === "NEED_MORE_INPUT" || reason.endsWith("UNSPECIFIED")) return COMPLETED;
  if (FAILED.test(reason))
    return {
      status: "failed",
      details: { type: "failed", error: { type: "server_error", code: reason.toLowerCase() } },
    };
  return { status: "incomplete", details: { type: "incomplete", reason: "content_filter" } };
}

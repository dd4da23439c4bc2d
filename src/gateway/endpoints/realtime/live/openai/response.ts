import type { Usage } from "../../../../../formats/conversation/reply.ts";
import { type JsonObject, recordOf } from "../../../../../formats/json.ts";
import type { LiveSettings } from "./settings.ts";

/** A new id in OpenAI's form. */
export const newId = (prefix: string): string => `${prefix}_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;

/** Adds what every event of a server has. */
export const eventOf = (type: string, members: JsonObject): JsonObject => ({
  type,
  event_id: newId("event"),
  ...members,
});

/** The order of the items of a conversation. */
export class Items {
  readonly conversationId = newId("conversation");
  #last: string | null = null;

  /** Notes an item at the end; returns the one before. */
  append(id: string): string | null {
    const previous = this.#last;
    this.#last = id;
    return previous;
  }

  /** The events of an item that is complete from the start. */
  complete(item: JsonObject & { id: string }): JsonObject[] {
    const previous = this.append(item.id);
    return ["conversation.item.added", "conversation.item.done"].map((type) =>
      eventOf(type, { previous_item_id: previous, item }),
    );
  }
}

/** How a response ends, in OpenAI's terms. */
export type ResponseEnd = Readonly<{ status: string; details: JsonObject | null }>;

export const COMPLETED: ResponseEnd = { status: "completed", details: null };
export const cancelledBy = (reason: "turn_detected" | "client_cancelled"): ResponseEnd => ({
  status: "cancelled",
  details: { type: "cancelled", reason },
});

type Message = Readonly<{ id: string; index: number; previous: string | null; isAudio: boolean }> & { text: string };

/** Writes the events of one response. */
export class ResponseWriter {
  readonly id = newId("resp");
  readonly #output: JsonObject[] = [];
  /** The message in progress. */
  #message: Message | null = null;
  #hasAudio = false;

  constructor(
    private readonly items: Items,
    private readonly settings: LiveSettings,
  ) {}

  begin(): JsonObject {
    return eventOf("response.created", { response: this.#view("in_progress", null, null) });
  }

  /** Audio in the client's format, as base64. */
  audio(delta: string): JsonObject[] {
    if (delta === "") return [];
    this.#hasAudio = true;
    return this.#delta("response.output_audio.delta", delta, true);
  }

  /** A piece of the transcript of the audio. */
  transcript(delta: string): JsonObject[] {
    return this.#text("response.output_audio_transcript.delta", delta, true);
  }

  text(delta: string): JsonObject[] {
    return this.#text("response.output_text.delta", delta, false);
  }

  /** A call of a function, complete. */
  call(callId: string, name: string, args: string): JsonObject[] {
    const before = this.#endMessage("completed");
    const index = this.#output.length;
    const id = newId("item");
    const previous = this.items.append(id);
    const item = { id, object: "realtime.item", type: "function_call", name, call_id: callId };
    const started = { ...item, status: "in_progress", arguments: "" };
    const done = { ...item, status: "completed", arguments: args };
    this.#output.push(done);
    const place = { response_id: this.id, output_index: index };
    const within = { ...place, item_id: id, call_id: callId };
    return [
      ...before,
      eventOf("response.output_item.added", { ...place, item: started }),
      eventOf("conversation.item.added", { previous_item_id: previous, item: started }),
      eventOf("response.function_call_arguments.delta", { ...within, delta: args }),
      eventOf("response.function_call_arguments.done", { ...within, name, arguments: args }),
      eventOf("conversation.item.done", { previous_item_id: previous, item: done }),
      eventOf("response.output_item.done", { ...place, item: done }),
    ];
  }

  end({ status, details }: ResponseEnd, usage: Usage | null): JsonObject[] {
    const before = this.#endMessage(status === "completed" ? "completed" : "incomplete");
    return [...before, eventOf("response.done", { response: this.#view(status, details, usage) })];
  }

  #text(type: string, delta: string, isAudio: boolean): JsonObject[] {
    if (delta === "") return [];
    const events = this.#delta(type, delta, isAudio);
    if (this.#message) this.#message.text += delta;
    return events;
  }

  #delta(type: string, delta: string, isAudio: boolean): JsonObject[] {
    const opening = this.#message ? [] : this.#beginMessage(isAudio);
    return [...opening, eventOf(type, { ...this.#place(), delta })];
  }

  #beginMessage(isAudio: boolean): JsonObject[] {
    const id = newId("item");
    const message = { id, index: this.#output.length, previous: this.items.append(id), isAudio, text: "" };
    this.#message = message;
    const item = { ...itemOf(message, "in_progress"), content: [] };
    const place = { response_id: this.id, output_index: message.index };
    return [
      eventOf("response.output_item.added", { ...place, item }),
      eventOf("conversation.item.added", { previous_item_id: message.previous, item }),
      eventOf("response.content_part.added", { ...this.#place(), part: partOf(message) }),
    ];
  }

  #endMessage(status: string): JsonObject[] {
    const message = this.#message;
    if (!message) return [];
    const place = this.#place();
    this.#message = null;
    const item = itemOf(message, status);
    this.#output.push(item);
    const texts = message.isAudio
      ? [
          ...(this.#hasAudio ? [eventOf("response.output_audio.done", place)] : []),
          eventOf("response.output_audio_transcript.done", { ...place, transcript: message.text }),
        ]
      : [eventOf("response.output_text.done", { ...place, text: message.text })];
    return [
      ...texts,
      eventOf("response.content_part.done", { ...place, part: partOf(message) }),
      eventOf("conversation.item.done", { previous_item_id: message.previous, item }),
      eventOf("response.output_item.done", { response_id: this.id, output_index: message.index, item }),
    ];
  }

  #place(): JsonObject {
    const { id, index } = this.#message ?? { id: "", index: 0 };
    return { response_id: this.id, item_id: id, output_index: index, content_index: 0 };
  }

  #view(status: string, details: JsonObject | null, usage: Usage | null): JsonObject {
    const { output_modalities, max_output_tokens, audio } = this.settings.view;
    return {
      object: "realtime.response",
      id: this.id,
      status,
      status_details: details,
      output: [...this.#output],
      conversation_id: this.items.conversationId,
      output_modalities,
      max_output_tokens,
      audio: { output: recordOf(audio)?.output },
      usage: usage && usageView(usage),
      metadata: null,
    };
  }
}

const partOf = ({ isAudio, text }: Message): JsonObject =>
  isAudio ? { type: "audio", transcript: text } : { type: "text", text };

const itemOf = ({ id, isAudio, text }: Message, status: string): JsonObject => ({
  id,
  object: "realtime.item",
  type: "message",
  status,
  role: "assistant",
  content: [isAudio ? { type: "output_audio", transcript: text } : { type: "output_text", text }],
});

/** Usage as OpenAI's sessions report it. */
function usageView(usage: Usage): JsonObject {
  const { promptTokens, completionTokens, cachedTokens, audioInputTokens, audioOutputTokens } = usage;
  const images = usage.imageInputTokens ?? 0;
  return {
    total_tokens: promptTokens + completionTokens,
    input_tokens: promptTokens,
    output_tokens: completionTokens,
    input_token_details: {
      text_tokens: Math.max(0, promptTokens - audioInputTokens - images),
      audio_tokens: audioInputTokens,
      image_tokens: images,
      cached_tokens: cachedTokens,
    },
    output_token_details: {
      text_tokens: Math.max(0, completionTokens - audioOutputTokens),
      audio_tokens: audioOutputTokens,
    },
  };
}

import type { JsonObject } from "../../../../../formats/json.ts";
import { AudioConverter, bytesPerSecond } from "./audio.ts";
import { LIVE_INPUT } from "./pending.ts";
import { eventOf, type Items, newId } from "./response.ts";
import type { LiveSettings } from "./settings.ts";

type Turn = { readonly id: string; readonly startMs: number; transcript: string; isCommitted: boolean };

/**
 * The user's speech, where the model finds its turns. Google reports no beginning or end of speech to most callers, so they
 * are taken from what follows from them: a transcript, an interruption, the model's answer.
 */
export class UserSpeech {
  #appendedBytes = 0;
  /** Audio that belongs to no turn yet. */
  #hasAudio = false;
  #turn: Turn | null = null;
  #converter: AudioConverter | null = null;

  constructor(
    private readonly items: Items,
    private readonly settings: LiveSettings,
  ) {}

  /** Takes audio of the client; returns it as the model wants it, both in base64. */
  append(audio: string): string {
    this.#appendedBytes += (audio.length * 3) / 4;
    this.#hasAudio = true;
    this.#converter ??= new AudioConverter(this.settings.inputFormat, LIVE_INPUT);
    return this.#converter.convert(audio);
  }

  /** The end of a stream of audio, as the model wants it. */
  endStream(): string {
    const rest = this.#converter?.end() ?? "";
    this.#converter = null;
    return rest;
  }

  /** The user speaks. */
  start(): JsonObject[] {
    if (this.#turn && !this.#turn.isCommitted) return [];
    const finished = this.finish();
    this.#turn = { id: newId("item"), startMs: this.#nowMs, transcript: "", isCommitted: false };
    const { id, startMs } = this.#turn;
    return [...finished, eventOf("input_audio_buffer.speech_started", { audio_start_ms: startMs, item_id: id })];
  }

  /** Something interrupted the model: the user, if there is audio. */
  interrupted(): JsonObject[] {
    return this.#hasAudio ? this.start() : [];
  }

  /** The user's speech ended: it is an item of the conversation. */
  commit(): JsonObject[] {
    const turn = this.#turn;
    if (!turn || turn.isCommitted) return [];
    const stopped = eventOf("input_audio_buffer.speech_stopped", { audio_end_ms: this.#nowMs, item_id: turn.id });
    turn.isCommitted = true;
    this.#hasAudio = false;
    return [stopped, ...this.#committed(turn.id)];
  }

  /** What the client commits itself: an item. */
  commitByClient(id: string): JsonObject[] {
    this.#turn = { id, startMs: this.#nowMs, transcript: "", isCommitted: true };
    this.#hasAudio = false;
    return this.#committed(id);
  }

  /** The model answers: the user's turn is over. */
  answered(): JsonObject[] {
    if (!this.#hasAudio && !this.#turn) return [];
    return [...(this.#turn ? [] : this.start()), ...this.commit()];
  }

  transcribed(text: string): JsonObject[] {
    const started = this.#turn ? [] : this.start();
    const turn = this.#turn;
    if (!turn) return started;
    turn.transcript += text;
    if (!this.settings.transcribesInput) return started;
    const place = { item_id: turn.id, content_index: 0 };
    return [...started, eventOf("conversation.item.input_audio_transcription.delta", { ...place, delta: text })];
  }

  /** The turn is over, and its transcript complete. */
  finish(): JsonObject[] {
    const turn = this.#turn;
    if (!turn?.isCommitted) return [];
    this.#turn = null;
    if (!this.settings.transcribesInput || turn.transcript === "") return [];
    const seconds = Math.max(0, this.#nowMs - turn.startMs) / 1_000;
    return [
      eventOf("conversation.item.input_audio_transcription.completed", {
        item_id: turn.id,
        content_index: 0,
        transcript: turn.transcript,
        // It is part of what Google charges for the response.
        usage: { type: "duration", seconds },
      }),
    ];
  }

  get #nowMs(): number {
    return Math.round((1_000 * this.#appendedBytes) / bytesPerSecond(this.settings.inputFormat));
  }

  #committed(id: string): JsonObject[] {
    const content = [{ type: "input_audio", transcript: null }];
    const item = { id, object: "realtime.item", type: "message", status: "completed", role: "user", content };
    const [added, ...rest] = this.items.complete(item);
    return [
      eventOf("input_audio_buffer.committed", { item_id: id, previous_item_id: added?.previous_item_id }),
      ...(added ? [added] : []),
      ...rest,
    ];
  }
}

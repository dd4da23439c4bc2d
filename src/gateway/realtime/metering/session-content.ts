import { type JsonObject, textOf } from "../../../formats/json.ts";
import { clientTexts, instructionsOf } from "../filters/client-texts.ts";

/** Maximum characters to store per side between two charges; a log row stores far fewer. */
const MAX_CHARACTERS = 256 * 1024;

/** The texts since the last charge, in the shape of a chat. */
export type TranscriptContent = Readonly<{ prompt: JsonObject; text: string }>;

/** The texts of a session for the content log: messages, and transcripts of audio. */
export class RealtimeTranscript {
  #instructions = "";
  /** The instructions of the last requested response; null: those of the session. */
  #own: string | null = null;
  #clientMessages: JsonObject[] = [];
  #clientCharacters = 0;
  #modelTexts: string[] = [];
  #modelCharacters = 0;

  /** Takes an event of the client. */
  client(event: JsonObject): void {
    if (event.type === "session.update") this.#instructions = instructionsOf(event.session) ?? this.#instructions;
    if (event.type === "response.create") this.#own = instructionsOf(event.response);
    for (const message of clientTexts(event).messages)
      if (message.role !== "system" || isItem(event)) this.#addClientMessage(message);
  }

  /** Takes an event of the upstream. */
  upstream(event: JsonObject): void {
    switch (event.type) {
      case "conversation.item.input_audio_transcription.completed":
        this.#addClientMessage({ role: "user", content: textOf(event.transcript) ?? "" });
        return;
      case "response.output_text.delta":
      case "response.text.delta":
      case "response.output_audio_transcript.delta":
      case "response.audio_transcript.delta":
      case "response.function_call_arguments.delta":
        this.#speak(textOf(event.delta) ?? "");
    }
  }

  /** Returns everything so far and starts over. */
  take(): TranscriptContent {
    const instructions = this.#own ?? this.#instructions;
    const system = instructions === "" ? [] : [{ role: "system", content: instructions }];
    const words = { prompt: { messages: [...system, ...this.#clientMessages] }, text: this.#modelTexts.join("") };
    this.#own = null;
    this.#clientMessages = [];
    this.#clientCharacters = 0;
    this.#modelTexts = [];
    this.#modelCharacters = 0;
    return words;
  }

  #addClientMessage(message: JsonObject): void {
    const { length } = textOf(message.content) ?? "";
    if (length === 0 || this.#clientCharacters + length > MAX_CHARACTERS) return;
    this.#clientMessages.push(message);
    this.#clientCharacters += length;
  }

  #speak(text: string): void {
    if (this.#modelCharacters + text.length > MAX_CHARACTERS) return;
    this.#modelTexts.push(text);
    this.#modelCharacters += text.length;
  }
}

const isItem = (event: JsonObject): boolean => event.type === "conversation.item.create";

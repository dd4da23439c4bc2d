import type { Usage } from "../../../../../formats/conversation/reply.ts";
import { type JsonObject, recordOf, textOf } from "../../../../../formats/json.ts";
import { invalidRequest } from "../../../../request/client-body.ts";
import { ModelTurns } from "./model-turns.ts";
import { audioMessage, nothingToRespondTo, PendingItems, realtimeInputs } from "./pending.ts";
import { eventOf, Items, newId } from "./response.ts";
import { inexpressible, LiveSettings } from "./settings.ts";
import { UserSpeech } from "./speech.ts";

/** What to send to the model and to the client. */
export type Translated = Readonly<{ live: readonly JsonObject[]; events: readonly JsonObject[] }>;

/** Audio that a client may collect before it commits it, and what may wait for the session to begin: bytes of base64. */
const MAX_WAITING_BYTES = 32 * 1_048_576;
/** Models since Gemini 3 take contents only as the history of a session. */
const SEEDED = /^gemini-(?:[3-9]|\d\d)/;

const onlyEvents = (...events: JsonObject[]): Translated => ({ live: [], events });
const onlyLive = (...live: JsonObject[]): Translated => ({ live, events: [] });

/**
 * Translates a session between OpenAI's Realtime API and Google's Live API. The setup message goes out with the first input,
 * because it cannot change later and clients configure the session after it was created.
 */
export class RealtimeTranslator {
  readonly #settings: LiveSettings;
  readonly #items = new Items();
  readonly #speech: UserSpeech;
  readonly #pending: PendingItems;
  readonly #turns: ModelTurns;
  readonly #isSeeded: boolean;
  /** Audio that the client has not committed. */
  #buffer: string[] = [];
  #bufferedBytes = 0;
  #state: "new" | "starting" | "ready" = "new";
  #queue: JsonObject[] = [];
  #queuedBytes = 0;

  /** `model` is the name that the client used, `liveModel` the one of the setup message, `upstreamModel` Google's. */
  constructor(
    model: string,
    private readonly liveModel: string,
    upstreamModel: string,
  ) {
    this.#isSeeded = SEEDED.test(upstreamModel);
    this.#settings = new LiveSettings(newId("session"), model);
    this.#speech = new UserSpeech(this.#items, this.#settings);
    this.#pending = new PendingItems(() => this.#settings.inputFormat);
    this.#turns = new ModelTurns(this.#settings, this.#items, this.#speech, this.#pending);
  }

  opening(): Translated {
    return onlyEvents(eventOf("session.created", { session: this.#settings.view }));
  }

  /** Takes an event of the client. Throws GatewayError for one that has no effect. */
  client(event: JsonObject): Translated {
    const { live, events } = this.#translate(event);
    return { live: this.#started(live), events };
  }

  /** Takes a message of the model; `usage`: what the turn that it ends has cost. */
  upstream(message: JsonObject, usage: Usage | null): Translated {
    if (message.setupComplete !== undefined) {
      this.#state = "ready";
      const live = this.#queue;
      this.#queue = [];
      return { live, events: [] };
    }
    return onlyEvents(...this.#turns.upstream(message, usage));
  }

  #translate(event: JsonObject): Translated {
    switch (event.type) {
      case "session.update":
        this.#settings.update(recordOf(event.session) ?? {});
        return onlyEvents(eventOf("session.updated", { session: this.#settings.view }));
      case "input_audio_buffer.append":
        return this.#append(textOf(event.audio) ?? "");
      case "input_audio_buffer.commit":
        return this.#commit();
      case "input_audio_buffer.clear":
        if (!this.#settings.isManual) throw inexpressible("input_audio_buffer.clear");
        this.#clear();
        return onlyEvents(eventOf("input_audio_buffer.cleared", {}));
      case "conversation.item.create":
        return this.#create(recordOf(event.item) ?? {});
      case "conversation.item.delete":
        if (!this.#pending.remove(textOf(event.item_id) ?? "")) throw inexpressible("conversation.item.delete");
        return onlyEvents(eventOf("conversation.item.deleted", { item_id: event.item_id }));
      case "conversation.item.truncate": {
        // Google's model forgets what it could not say itself.
        const { item_id, content_index, audio_end_ms } = event;
        return onlyEvents(eventOf("conversation.item.truncated", { item_id, content_index, audio_end_ms }));
      }
      case "response.create":
        return this.#respond(recordOf(event.response) ?? {});
      case "response.cancel": {
        if (!this.#turns.isBusy) throw invalidRequest({ code: "gateway_live_idle" });
        // Contents interrupt the model, also none.
        const live = this.#isSeeded ? [] : [{ clientContent: { turnComplete: false } }];
        return { live, events: this.#turns.cancel() };
      }
      default:
        throw inexpressible(textOf(event.type) ?? "type");
    }
  }

  #append(audio: string): Translated {
    const data = this.#speech.append(audio);
    if (!this.#settings.isManual) {
      const takesContents = this.#isSeeded ? this.#state === "new" : !this.#turns.isBusy;
      const turns = takesContents ? this.#pending.takeContents() : [];
      const before = turns.length > 0 ? [{ clientContent: { turns, turnComplete: this.#isSeeded } }] : [];
      return onlyLive(...before, ...(data === "" ? [] : [audioMessage(data)]));
    }
    this.#buffer.push(data);
    this.#bufferedBytes += data.length;
    if (this.#bufferedBytes <= MAX_WAITING_BYTES) return onlyLive();
    this.#clear();
    throw invalidRequest({ code: "gateway_live_buffer_full" }, "audio");
  }

  #clear(): void {
    this.#buffer = [];
    this.#bufferedBytes = 0;
    this.#speech.endStream();
  }

  #commit(): Translated {
    const rest = this.#speech.endStream();
    const id = newId("item");
    if (!this.#settings.isManual) {
      const last = rest === "" ? [] : [audioMessage(rest)];
      return { live: [...last, { realtimeInput: { audioStreamEnd: true } }], events: this.#speech.answered() };
    }
    if (this.#buffer.length === 0) throw invalidRequest({ code: "gateway_live_buffer_empty" });
    this.#pending.addAudioTurn({ id, audio: [...this.#buffer, rest].filter((piece) => piece !== "") });
    this.#clear();
    return onlyEvents(...this.#speech.commitByClient(id));
  }

  #create(created: JsonObject): Translated {
    const item = { ...created, id: textOf(created.id) ?? newId("item"), object: "realtime.item", status: "completed" };
    const isLate = this.#isSeeded && this.#state !== "new";
    if (isLate && created.role !== "user" && created.type !== "function_call_output") throw inexpressible("item.role");
    this.#pending.add(item);
    return onlyEvents(...this.#items.complete(item));
  }

  #respond(options: JsonObject): Translated {
    if (this.#turns.isBusy) throw invalidRequest({ code: "gateway_live_busy" });
    for (const field of ["input", "tools", "tool_choice", "prompt"])
      if (options[field] != null) throw inexpressible(`response.${field}`);
    if (options.conversation === "none") throw inexpressible("response.conversation");
    const results = this.#pending.takeResults();
    const history = this.#isSeeded && this.#state === "new" ? this.#pending.takeContents(true) : [];
    const instructions = textOf(options.instructions);
    const contents = [
      ...this.#pending.takeContents(),
      ...(instructions ? [{ role: "user", parts: [{ text: instructions }] }] : []),
    ];
    const audio = this.#pending.takeAudio();
    const live = this.#isSeeded
      ? this.#realtime(history, contents, audio, results)
      : this.#contents(contents, audio, results);
    return { live, events: this.#turns.begin() };
  }

  #contents(contents: readonly JsonObject[], audio: readonly string[], results: readonly JsonObject[]): JsonObject[] {
    const isLast = audio.length === 0 && results.length === 0;
    const content = { ...(contents.length > 0 && { turns: contents }), turnComplete: isLast };
    return [
      ...(isLast || contents.length > 0 ? [{ clientContent: content }] : []),
      ...(audio.length > 0 ? activity(audio.map(audioMessage)) : []),
      ...(results.length > 0 ? [{ toolResponse: { functionResponses: results } }] : []),
    ];
  }

  #realtime(
    history: readonly JsonObject[],
    contents: readonly JsonObject[],
    audio: readonly string[],
    results: readonly JsonObject[],
  ): JsonObject[] {
    const inputs = [...realtimeInputs(contents), ...audio.map(audioMessage)];
    if (inputs.length === 0 && results.length === 0) throw nothingToRespondTo();
    return [
      ...(history.length > 0 ? [{ clientContent: { turns: history, turnComplete: true } }] : []),
      ...(this.#settings.isManual && inputs.length > 0 ? activity(inputs) : inputs),
      ...(results.length > 0 ? [{ toolResponse: { functionResponses: results } }] : []),
    ];
  }

  /** The messages to send now: the setup before the first ones, those after it when the model is ready. */
  #started(messages: readonly JsonObject[]): readonly JsonObject[] {
    if (messages.length === 0 || this.#state === "ready") return messages;
    this.#queue.push(...messages);
    this.#queuedBytes += messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
    if (this.#queuedBytes > MAX_WAITING_BYTES) throw invalidRequest({ code: "gateway_live_buffer_full" });
    if (this.#state === "starting") return [];
    this.#state = "starting";
    const hasHistory = this.#isSeeded && messages.some(({ clientContent }) => clientContent !== undefined);
    const historyConfig = hasHistory && { historyConfig: { initialHistoryInClientContent: true } };
    return [{ setup: { model: this.liveModel, ...this.#settings.takeSetup(), ...historyConfig } }];
  }
}

/** Input as a turn whose beginning and end the client decides. */
const activity = (inputs: readonly JsonObject[]): JsonObject[] => [
  { realtimeInput: { activityStart: {} } },
  ...inputs,
  { realtimeInput: { activityEnd: {} } },
];

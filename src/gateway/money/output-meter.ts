import type { Processing, ReplyEvent, ToolCalls } from "../../formats/conversation/reply.ts";
import { searchesIn } from "../../formats/gemini/request/server-tools.ts";
import { BLOCKED_PROMPT } from "../../formats/helpers/blocked-prompt.ts";
import { type JsonObject, parseJson, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import { collectOutput, type OutputSink } from "../../formats/openai-chat/response/output.ts";
import { chunkOf } from "../../formats/openai-chat/response/stream.ts";
import { GROUNDING, searchedIn } from "../../formats/tools/web-search.ts";
import { splitEvents } from "../../lib/http/sse.ts";
import { textOfBytes } from "../../lib/values/bytes.ts";

/** Bytes to store as received; longer streams are reduced to their text from time to time. */
const FOLD_AT_BYTES = 64 * 1024;
/** Text to store for counting; text beyond this is estimated by its length. */
const MAX_TEXT_CHARACTERS = 512 * 1024;
const CHARACTERS_PER_TOKEN = 4;
/** Tokens of a tool call in addition to its name and arguments. */
const TOKENS_PER_CALL = 7;

/**
 * Collects a response's output for a local token count. In the normal case nothing is decoded, and memory stays bounded
 * however long the stream is.
 */
export class OutputMeter implements OutputSink {
  #raw: Uint8Array[] = [];
  #rawBytes = 0;
  #texts: string[] = [];
  #textCharacters = 0;
  #uncounted = 0;
  #calls = 0;
  #more = false;
  #finished = false;
  /** The upstream's own finish reason, if it is not a normal one; changed only here. */
  ownFinish: string | null = null;
  /** How the response says that it was served. */
  processing: Processing = NOT_NAMED;
  #searches = 0;
  #fileSearches = 0;
  /**
   * Queries from Google's search results and from its reported calls: if both are present, they are the same queries.
   */
  #googleSearches = 0;
  #searchUsage = 0;
  #showsPlaces = false;
  #cites = false;
  /** The response may show uses of hosted tools: `toolCalls` counts them. */
  showsTools = false;
  /** Ids of the containers that ran code; created with the first one, and changed only here. */
  containers: Set<string> | null = null;
  /** Created with the first one: few responses have parts that are stored. */
  #partIds: Set<string> | null = null;
  /** The memory of each container, by which it is charged. */
  containerGigabytes = 1;

  /** Adds a block of complete stream events. */
  push(block: Uint8Array): void {
    this.#raw.push(block);
    this.#rawBytes += block.byteLength;
    if (this.#rawBytes > FOLD_AT_BYTES) this.#fold();
  }

  /** Adds an event that was decoded anyway. */
  step(step: ReplyEvent): void {
    switch (step.type) {
      case "refusal":
        // The gateway's own sentence is no output of the model.
        if (step.text.startsWith(BLOCKED_PROMPT)) this.other();
        else if (step.text !== "") this.text(step.text);
        return;
      case "text":
      case "reasoning":
      case "tool-input":
        if (step.text !== "") this.text(step.text);
        return;
      case "tool-start":
        this.toolCall();
        this.text(step.name);
        return;
      case "native":
        if (step.dialect === "openai-responses") this.#hostedTool(step.value);
        else if (step.dialect === "anthropic") for (const id of fileIdsIn(step.value)) this.part(id);
        else if (step.dialect === "gemini") {
          this.#googleSearches += googleSearches(step);
          this.#showsPlaces ||= showsPlaces(step);
          this.showsTools ||= this.#showsPlaces || this.#googleSearches > 0;
        }
        this.other();
        return;
      case "start":
      case "usage":
        this.processedAs(step);
        return;
      case "citation":
        this.cited();
        return;
      case "signature":
        this.#searchUsage += searchesIn(step.signature);
        this.showsTools ||= this.#searchUsage > 0;
        return;
      case "media":
        this.other();
        return;
      case "finish":
        this.#finished = true;
        for (const id of step.partIds ?? []) this.part(id);
        if (saysMore(step)) this.ownFinish = step.native;
    }
  }

  /** What the response names last counts; `auto` is the request's word, repeated before the tier is known. */
  processedAs({ serviceTier, speed, inferenceGeo }: Processing): void {
    if (serviceTier === undefined && speed === undefined && inferenceGeo === undefined) return;
    this.processing = {
      ...this.processing,
      ...(serviceTier !== undefined && serviceTier !== "auto" && { serviceTier }),
      ...(speed !== undefined && { speed }),
      ...(inferenceGeo !== undefined && { inferenceGeo }),
    };
  }

  /** Adds a complete response. */
  pushResponse(body: Uint8Array): void {
    const answer = recordOf(parseJson(textOfBytes(body)));
    if (collectOutput(answer, this)) this.#finished = true;
    if (answer && !Array.isArray(answer.choices)) this.#more = true;
  }

  text(piece: string): void {
    if (this.#textCharacters + piece.length > MAX_TEXT_CHARACTERS) this.#uncounted += piece.length;
    else {
      this.#texts.push(piece);
      this.#textCharacters += piece.length;
    }
  }

  toolCall(): void {
    this.#calls += 1;
  }

  other(): void {
    this.#more = true;
  }

  /** Adds the id of a part that the upstream stores, by which later requests may refer to it. */
  part(id: string): void {
    this.#partIds ??= new Set();
    this.#partIds.add(id);
  }

  /** Ids of the parts that the upstream stores. */
  get partIds(): readonly string[] {
    this.#fold();
    return this.#partIds ? [...this.#partIds] : NO_IDS;
  }

  cited(): void {
    this.#cites = true;
  }

  /** The response cites pages or lists sources. */
  get cites(): boolean {
    this.#fold();
    return this.#cites;
  }

  /** What to count: the text, and tokens to add for everything else. */
  countable(): { text: string; extraTokens: number } {
    this.#fold();
    const extraTokens = Math.ceil(this.#uncounted / CHARACTERS_PER_TOKEN) + this.#calls * TOKENS_PER_CALL;
    return { text: this.#texts.join(""), extraTokens };
  }

  /** Leaves a container out of the charge, because it is paid for. */
  removeContainer(id: string): void {
    this.containers?.delete(id);
  }

  /** Hosted tools whose use the response shows; null if none. */
  get toolCalls(): ToolCalls | null {
    const googleSearches = Math.max(this.#googleSearches, this.#searchUsage);
    const containers = (this.containers?.size ?? 0) * this.containerGigabytes;
    const uses = this.#searches + this.#fileSearches + googleSearches + containers;
    if (uses === 0 && !this.#showsPlaces) return null;
    return {
      ...(googleSearches > 0 && { google_search: googleSearches }),
      ...(this.#showsPlaces && { google_maps: 1 }),
      ...(this.#searches > 0 && { web_search: this.#searches }),
      ...(this.#fileSearches > 0 && { file_search: this.#fileSearches }),
      ...(containers > 0 && { code_interpreter: containers }),
    };
  }

  /** Opening a page after a search is no search; code is charged by its container. */
  #hostedTool(item: JsonObject): void {
    this.showsTools = true;
    if (item.type === "web_search_call" && (recordOf(item.action)?.type ?? "search") === "search") this.#searches += 1;
    else if (item.type === "file_search_call") this.#fileSearches += 1;
    else if (item.type === "code_interpreter_call") {
      this.containers ??= new Set();
      this.containers.add(textOf(item.container_id) ?? textOf(item.id) ?? "");
    }
  }

  /** The response has only whitespace: no text, tool call or other output. */
  get isEmpty(): boolean {
    const { text, extraTokens } = this.countable();
    return !this.#more && extraTokens === 0 && text.trim() === "";
  }

  /** A finish reason was received. */
  get sawFinish(): boolean {
    this.#fold();
    return this.#finished;
  }

  #fold(): void {
    if (this.#raw.length === 0) return;
    const events = splitEvents(textOfBytes(Buffer.concat(this.#raw)));
    this.#raw = [];
    this.#rawBytes = 0;
    for (const event of events) if (collectOutput(chunkOf(event), this)) this.#finished = true;
  }
}

const NO_IDS: readonly string[] = [];
const NOT_NAMED: Processing = {};

/** Files that code made in a container, as the results of Anthropic's tools name them. */
const fileIdsIn = ({ content }: JsonObject): string[] =>
  recordsOf(recordOf(content)?.content).flatMap(({ file_id: id }) => textOf(id) ?? []);

/** Finish reasons of a normal end. */
const NATURAL_ENDS = /^(stop|stop_sequence|end_turn|completed?|eos|eos_token|finish_reason_unspecified)$/i;

/** Whether the upstream's own finish reason is more specific than the translated one. */
const saysMore = ({ reason, native }: Extract<ReplyEvent, { type: "finish" }>): boolean =>
  (reason === "stop" || reason === "error" || native === "pause_turn") &&
  native !== null &&
  native !== "" &&
  !NATURAL_ENDS.test(native);

/** Number of Google searches in the event; an answer with sources but no query counts as one. */
function googleSearches(step: Extract<ReplyEvent, { type: "native" }>): number {
  const searched = searchedIn(step);
  return searched ? Math.max(1, searched.queries.length) : 0;
}

/** Whether an answer uses Google Maps, for which no queries are reported. */
const showsPlaces = ({ value }: Extract<ReplyEvent, { type: "native" }>): boolean =>
  recordsOf(recordOf(value[GROUNDING])?.groundingChunks).some(({ maps }) => recordOf(maps) !== null);

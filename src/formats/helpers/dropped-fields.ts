import type { Dropped, Target } from "../conversation/codec.ts";
import type { ChatDialect, Conversation, Extensions, Part } from "../conversation/conversation.ts";
import { type JsonObject, recordOf } from "../json.ts";
import { isPastSearch } from "../tools/web-search.ts";
import { recordUnwrittenMarks } from "./cache-marks.ts";

/** Members of a chat request that have no effect on their own, or that other members cover. */
const NEUTRAL_MEMBERS: ReadonlySet<string> = new Set(["model", "messages", "stream", "stream_options"]);

/** Records the fields of a chat request that a narrower format leaves out: all but the `encoded` ones. */
export function recordDropped(chat: JsonObject, encoded: readonly string[], dropped: Dropped): void {
  for (const name of Object.keys(chat)) if (!NEUTRAL_MEMBERS.has(name) && !encoded.includes(name)) dropped.add(name);
}

/** A limit of output tokens, raised to the `least` that a provider takes, which is recorded. */
export function outputLimit(limit: number | null, least: number, dropped: Dropped): number | null {
  if (limit === null || limit >= least) return limit;
  dropped.add("max_tokens");
  return least;
}

/** Members that the conversation also holds, or that the gateway itself handles. */
const HARMLESS_BY_DIALECT: Readonly<Partial<Record<ChatDialect, ReadonlySet<string>>>> = {
  "openai-responses": new Set(["instructions", "include", "store", "previous_response_id"]),
  "gemini-interactions": new Set(["store", "previous_interaction_id"]),
  "openai-chat": new Set([
    "safety_identifier",
    "reasoning_effort",
    "thinking",
    "reasoning",
    "enable_thinking",
    "thinking_budget",
  ]),
};

const GROUPS: ReadonlySet<string> = new Set(["generationConfig", "generation_config", "reasoning", "output_config"]);

/** Members and the values with which they only turn a feature of OpenAI's off: dropping these loses nothing. */
const DISABLED_VALUES: JsonObject = { store: false, background: false, truncation: "disabled" };

/** Members of messages, parts and tools whose loss has no effect. */
const HARMLESS: ReadonlySet<string> = new Set(["caller", "eager_input_streaming", "phase"]);

/** Records the members that only the client's format defines, except the `forwarded` ones, which the target accepts. */
export function recordForeignFields(
  { extra, turns, tools }: Conversation,
  forwarded: readonly string[],
  dropped: Dropped,
): void {
  for (const [name, value] of Object.entries(extra.members)) {
    const isHarmless =
      HARMLESS_BY_DIALECT[extra.dialect]?.has(name) || forwarded.includes(name) || DISABLED_VALUES[name] === value;
    if (value === null || isHarmless) continue;
    // Members that group settings: the remaining ones are recorded one by one.
    if (GROUPS.has(name)) for (const inner in recordOf(value)) dropped.add(`${name}.${inner}`);
    else dropped.add(name);
  }
  recordDroppedExtensions({ turns, tools }, dropped);
}

/** Does the same for messages, their parts and tools. */
export function recordDroppedExtensions(
  { turns, tools }: Pick<Conversation, "turns" | "tools">,
  dropped: Dropped,
): void {
  for (const turn of turns) {
    for (const name of extensionNames(turn)) dropped.add(`messages: ${name}`);
    for (const part of turn.parts) recordDroppedPart(part, dropped);
  }
  for (const tool of tools)
    if (tool.type !== "hosted") for (const name of extensionNames(tool)) dropped.add(`tools: ${name}`);
}

/**
 * Records what no encoder writes in most formats, whatever the target: names and details of media, members of messages that
 * only the client's format has, voices. `body` is the request that was written: what is in it has arrived; `long`: strings for
 * which marks stand in it.
 */
export function recordUnwritten(
  conversation: Conversation,
  body: string,
  target: ShownBy,
  dropped: Dropped,
  long: LongTexts | null = null,
): void {
  const { turns, audio, reasoning } = conversation;
  const { stringify } = long ?? JSON;
  recordUnwrittenMarks(conversation, body, dropped);
  recordUnwrittenReasoning(conversation, body, dropped, long);
  const { show, summary } = reasoning;
  if (show === false && showsReasoning(target) && !HIDDEN.test(body)) dropped.add("reasoning: show");
  if (summary !== null && summary !== "auto" && !body.includes(`"summary":"${summary}"`))
    dropped.add("reasoning: summary");
  const isMissing = (value: unknown): boolean => !body.includes(stringify(value));
  for (const turn of turns) {
    for (const [name, value] of Object.entries(turn.extensions?.members ?? {}))
      if (!HARMLESS.has(name) && isMissing(value)) dropped.add(`messages: ${name}`);
    for (const part of everyPart(turn.parts)) {
      recordDroppedPart(part, dropped, isMissing);
      if (part.type !== "image" && part.type !== "document") continue;
      const { type, name, detail } = part;
      // Some services take only some characters, without an extension.
      const written = name?.replace(/\.\w+$/, "");
      if (written !== undefined && !body.includes(stringify(written).slice(1, -1)) && !long?.contain(written))
        dropped.add(`${type}: name`);
      if (detail !== undefined && detail !== "auto" && !body.includes(`"detail":"${detail}"`))
        dropped.add(`${type}: detail`);
    }
  }
  if (audio && isMissing(audio.voice)) dropped.add("audio");
  else if (audio && isMissing(audio.format)) dropped.add("audio: format");
}

/** Writes values as they are in a request with marks for long strings, and looks texts up in those. */
type LongTexts = Readonly<{ stringify(value: unknown): string; contain(text: string): boolean }>;

type ShownBy = Pick<Target, "model" | "info">;

/** Members that ask for no reasoning in the response. */
const HIDDEN = /"(display":"omitted"|includeThoughts":false|thinking_summaries":"none"|exclude":true)/;
/** OpenAI's own models show no reasoning unless a request asks for a summary. */
const SHOWN_ON_REQUEST = /^(ft:)?(gpt-(?!oss)|o\d)/;

/** Whether responses of the model have reasoning that nobody asked for. */
const showsReasoning = ({ model, info }: ShownBy): boolean =>
  info.reasoning?.style !== "none" && !SHOWN_ON_REQUEST.test(model);

/**
 * Records reasoning of earlier turns, and its signatures, that is not in the written request: other providers can't use it, and
 * some formats have no place for it. `body`: the request's text, which is searched in the order of the turns.
 */
function recordUnwrittenReasoning(
  { turns }: Conversation,
  body: string,
  dropped: Dropped,
  long: LongTexts | null,
): void {
  const { stringify } = long ?? JSON;
  const find = (name: string) => {
    let from = 0;
    return (value: string): void => {
      if (value.trim() === "" || dropped.has(name)) return;
      const at = body.indexOf(stringify(value).slice(1, -1), from);
      if (at >= 0) from = at;
      else if (!long?.contain(value)) dropped.add(name);
    };
  };
  const [text, signature, ofCall] = [find("reasoning"), find("reasoning: signature"), find("tool-call: signature")];
  for (const part of turns.flatMap(({ parts }) => parts)) {
    if (part.type === "reasoning") {
      text(part.text);
      signature(part.signature?.value ?? "");
    } else if (part.type === "tool-call") ofCall(part.signature?.value ?? "");
  }
}

const everyPart = (parts: readonly Part[]): Part[] =>
  parts.flatMap((part) => (part.type === "tool-result" ? [part, ...everyPart(part.parts)] : [part]));

const extensionNames = ({ extensions }: Extensions): string[] =>
  Object.keys(extensions?.members ?? {}).filter((name) => !HARMLESS.has(name));

/** `isMissing`: whether a value is not in the request that was written. */
function recordDroppedPart(part: Part, dropped: Dropped, isMissing = (_value: unknown): boolean => true): void {
  if (!("extensions" in part)) return;
  // What Anthropic's clients have found is a text elsewhere, which cannot be cited.
  if (part.type === "text" && part.extensions?.dialect === "anthropic") {
    const { citations } = part.extensions.members;
    if (recordOf(citations)?.enabled === true && isMissing(citations)) dropped.add("search_result: citations");
    return;
  }
  for (const name of extensionNames(part)) {
    if (!isMissing(part.extensions?.members[name])) continue;
    if (part.extensions?.dialect !== "gemini") dropped.add(`${part.type}: ${name}`);
    else if (!(name.startsWith("function") || name.endsWith("Data"))) dropped.add(name);
    else
      for (const inner in recordOf(part.extensions.members[name]))
        if (inner !== "response") dropped.add(`${name}: ${inner}`);
  }
}

/** Whether a part is reasoning that says nothing: only some services want it back. */
export const isBlank = (part: Part): boolean =>
  part.type === "reasoning" && part.text.trim() === "" && part.signature === undefined;

/** Records a part that only its own format can carry, unless its loss has no effect. */
export function recordDroppedNative(part: Extract<Part, { type: "native" }>, dropped: Dropped): void {
  if (!isPastSearch(part)) dropped.add(part.name);
}

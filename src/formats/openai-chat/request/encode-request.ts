import type { Dropped, Target } from "../../conversation/codec.ts";
import {
  type Conversation,
  type DialogTurn,
  ownMembers,
  type Part,
  type ReasoningPart,
  type SystemTurn,
  type TextPart,
  type Tool,
  type ToolCallPart,
  type ToolResultPart,
  type Turn,
} from "../../conversation/conversation.ts";
import { PLAIN_SERVICE } from "../../conversation/service.ts";
import { withResultsFirst } from "../../conversation/system-turns.ts";
import {
  markMember,
  splitResult,
  takesBreakpoints,
  withBreakpoints,
  withLastMarks,
  withMarkOnPart,
  withMostMarks,
  withoutCacheMarks,
} from "../../helpers/cache-marks.ts";
import { isBlank, recordDroppedNative, recordForeignFields } from "../../helpers/dropped-fields.ts";
import { compact, type JsonObject } from "../../json.ts";
import { chatMedia, textOfParts } from "../../media.ts";
import { resultText } from "../../tools/pair-calls.ts";
import { callIdFor, shortName } from "../../tools/tool-names.ts";
import {
  choosesHosted,
  foreignSearch,
  isWebSearch,
  recordDroppedSearch,
  SEARCH_MEMBERS,
  type WebSearch,
} from "../../tools/web-search.ts";
import { callExtra, callOf } from "../calls.ts";
import { developerAsSystem, systemMessagesAsUser } from "./developer-role.ts";
import { reasoningDetail } from "./reasoning.ts";
import { REASONING_MEMBERS, reasoningMembers } from "./reasoning-setting.ts";
import { withoutRootlessFormat } from "./rootless-format.ts";

/**
 * Writes a chat completion request.
 * Source: https://platform.openai.com/docs/api-reference/chat/create
 */
export function encodeRequest(source: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { sampling, reasoning, extra } = source;
  const conversation = withoutRootlessFormat(fitMarks(source, target, dropped), target.model, dropped);
  if (sampling.topK !== null && extra.dialect !== "openai-chat") dropped.add("top_k");
  const search =
    target.service?.webSearch || target.info.built_in_search ? foreignSearch(conversation, "openai-chat") : null;
  if (extra.dialect !== "openai-chat") recordForeignFields(conversation, search ? SEARCH_MEMBERS : [], dropped);
  // Clients of this format have written the members of their upstream.
  const isWritten = extra.dialect === "openai-chat" && REASONING_MEMBERS.some((name) => extra.members[name] != null);
  const setting = isWritten ? null : reasoning.setting;
  const written = reasoningMembers(setting, target.service ?? PLAIN_SERVICE, target.model, target.info);
  if (!written.isHonored) dropped.add("reasoning_effort");
  const body: JsonObject = {
    ...(extra.dialect === "openai-chat" && extra.members),
    model: target.model,
    messages: withRoles(messagesOf(conversation, dropped), target),
    stream: conversation.stream || undefined,
    stream_options: conversation.stream ? { include_usage: true } : undefined,
    max_tokens: sampling.maxOutputTokens,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: extra.dialect === "openai-chat" ? sampling.topK : null,
    frequency_penalty: sampling.frequencyPenalty,
    presence_penalty: sampling.presencePenalty,
    seed: sampling.seed,
    stop: stopOf(conversation, dropped),
    n: sampling.n,
    logprobs: sampling.logprobs,
    // Other formats' clients may set `top_logprobs` without `logprobs`, which OpenAI rejects.
    top_logprobs: sampling.logprobs || extra.dialect === "openai-chat" ? sampling.topLogprobs : null,
    logit_bias: sampling.logitBias,
    tools: toolsOf(
      offeredOf(conversation).filter((tool) => !search || !isWebSearch(tool)),
      dropped,
    ),
    ...(search && { web_search_options: searchOptions(search, dropped) }),
    tool_choice: conversation.tools.length > 0 ? choiceOf(conversation, dropped) : null,
    parallel_tool_calls: conversation.tools.length > 0 ? conversation.parallelToolCalls : null,
    response_format: formatOf(conversation.format),
    ...written.members,
    modalities: conversation.modalities,
    audio: conversation.audio,
    user: conversation.user === null ? null : shortName(conversation.user, "user_"),
    prompt_cache_key: conversation.promptCacheKey,
    cache_control: conversation.cache,
    service_tier: conversation.serviceTier,
    metadata: extra.dialect.startsWith("openai") ? conversation.metadata : null,
    verbosity: conversation.verbosity,
  };
  return compact(body);
}

/** The conversation with the cache marks that the target takes. Clients of this format know their upstream, so theirs stay. */
function fitMarks(source: Conversation, target: Target, dropped: Dropped): Conversation {
  const isClaude = target.model.includes("claude");
  if (isClaude) return withMostMarks(source, dropped);
  if (target.service?.cacheMarks) return withMostMarks(withMarkOnPart(source), dropped);
  if (takesBreakpoints(target)) return withBreakpoints(withMarkOnPart(source), dropped);
  return source.extra.dialect === "openai-chat" ? withLastMarks(source, dropped) : withoutCacheMarks(source, dropped);
}

function searchOptions(search: WebSearch, dropped: Dropped): JsonObject {
  recordDroppedSearch(search, ["user_location", "search_context_size"], dropped);
  const { location, contextSize } = search;
  return compact({
    search_context_size: contextSize,
    user_location: location && { type: "approximate", approximate: location },
  });
}

/**
 * Always a list, because some services reject a bare string; at most four, unless the client uses this format itself.
 */
function stopOf({ sampling: { stop }, extra }: Conversation, dropped: Dropped): string[] | null {
  if (stop.length > 4 && extra.dialect !== "openai-chat") {
    dropped.add("stop");
    return stop.slice(0, 4);
  }
  return stop.length > 0 ? stop : null;
}

/** A conversation as chat messages. What they cannot express goes to `dropped`. */
export function messagesOf({ system, turns }: Pick<Conversation, "system" | "turns">, dropped: Dropped): JsonObject[] {
  const messages: JsonObject[] = system.length > 0 ? [{ role: "system", content: systemContent(system) }] : [];
  for (const turn of withResultsFirst(turns)) messages.push(...turnMessages(turn, dropped));
  return messages;
}

/** The messages with the roles that the target knows: only OpenAI's models tell developers from the system. */
function withRoles(messages: JsonObject[], { model, service }: Target): JsonObject[] {
  const placed = service?.systemTurns === "first" ? (systemMessagesAsUser(messages) ?? messages) : messages;
  return developerAsSystem(placed, model) ?? placed;
}

function turnMessages(turn: Turn, dropped: Dropped): JsonObject[] {
  switch (turn.role) {
    case "user":
      return userMessages(turn, dropped);
    case "assistant":
      return assistantMessages(turn, dropped);
    case "system":
      return systemMessages(turn, dropped);
  }
}

const systemContent = (parts: readonly TextPart[]): unknown =>
  parts.some(({ cache }) => cache) ? parts.map(textContent) : textOfParts(parts, "\n\n");

const textContent = ({ text, cache }: TextPart): JsonObject => ({
  type: "text",
  text,
  ...markMember(cache),
});

function systemMessages(turn: SystemTurn, dropped: Dropped): JsonObject[] {
  const content = contentOf(turn.parts, dropped);
  const role = turn.isDeveloper ? "developer" : "system";
  return content.length > 0
    ? [{ ...ownMembers(turn, "openai-chat"), role, content: plainWherePossible(content, "\n\n") }]
    : [];
}

/**
 * Tool results come first, one message each. Their images follow in a user message, because tool messages hold text
 * only.
 */
function userMessages(turn: DialogTurn, dropped: Dropped): JsonObject[] {
  const { parts } = turn;
  const messages: JsonObject[] = [];
  const rest: Part[] = [];
  for (const part of parts) {
    if (part.type !== "tool-result") rest.push(part);
    else {
      const { media, mark } = splitResult(part);
      messages.push({
        role: "tool",
        tool_call_id: callIdFor("openai-chat", part.callId),
        content: resultContent(part, mark),
      });
      rest.push(...media);
    }
  }
  const content = contentOf(rest, dropped);
  // A client's own empty turn stays; of which nothing is left, that is left out.
  if (content.length > 0 || parts.length === 0)
    messages.push({ ...ownMembers(turn, "openai-chat"), role: "user", content: plainWherePossible(content) });
  return messages;
}

/** The result of a tool as text; marked, it is a part: OpenRouter takes marks of parts only. */
function resultContent(part: ToolResultPart, mark: JsonObject | undefined): unknown {
  const text = resultText(part);
  // Services reject marks of empty parts.
  return mark && text !== "" ? [textContent({ type: "text", text, cache: mark })] : text;
}

/** Empty for a turn that this format cannot express; a client's own empty turn stays. */
function assistantMessages(turn: DialogTurn, dropped: Dropped): JsonObject[] {
  const { parts } = turn;
  const content = contentOf(
    parts.filter(({ type }) => type !== "reasoning" && type !== "tool-call" && type !== "refusal"),
    dropped,
  );
  const reasoningParts = parts.filter((part): part is ReasoningPart => part.type === "reasoning" && canForward(part));
  if (parts.some((part) => part.type === "reasoning" && !canForward(part) && !isBlank(part))) dropped.add("reasoning");
  const calls = parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  const refusal = parts.flatMap((part) => (part.type === "refusal" ? [part.text] : [])).join("");
  const reported = reasoningParts.filter(({ text, signature }) => text !== "" || !signature);
  const thought = reported.length > 0 ? reported.map(({ text }) => text).join("") : null;
  const isSilent = content.length + calls.length + reasoningParts.length === 0 && refusal === "";
  if (isSilent && parts.length > 0) return [];
  const message = compact({
    ...ownMembers(turn, "openai-chat"),
    role: "assistant",
    content: content.length > 0 ? plainWherePossible(content) : calls.length > 0 ? undefined : "",
    refusal: refusal || null,
    reasoning_content: thought,
    reasoning_details: reasoningParts.some(({ signature }) => signature) ? reasoningParts.map(reasoningDetail) : null,
    tool_calls: calls.length > 0 ? calls.map(ownCall) : null,
  });
  // In a message with tool calls, most services want the content to be null rather than absent.
  return [message.content === undefined ? { ...message, content: null } : message];
}

/**
 * Other providers' signatures, and the reasoning they sign, are not forwarded; reasoning without a signature is plain
 * text.
 */
const canForward = ({ signature }: ReasoningPart): boolean => !signature || signature.dialect === "openai-chat";

/** The signature of a call returns to the service that created it. */
const ownCall = (call: ToolCallPart): JsonObject =>
  callOf(
    { ...call, id: callIdFor("openai-chat", call.id) },
    {
      ...(call.signature?.dialect === "openai-chat" && callExtra(call.signature)),
      ...markMember(call.cache),
    },
  );

function contentOf(parts: readonly Part[], dropped: Dropped): JsonObject[] {
  return parts.flatMap((part): JsonObject[] => {
    if (part.type === "text") return part.text === "" ? [] : [textContent(part)];
    if (part.type === "native") {
      if (part.dialect === "openai-chat") return [part.value];
      recordDroppedNative(part, dropped);
      return [];
    }
    if (part.type === "reasoning" || part.type === "tool-call" || part.type === "tool-result") return [];
    if (part.type === "refusal") return [{ type: "text", text: part.text }];
    const media = chatMedia(part);
    if (!media) dropped.add(part.type);
    return media ? [{ ...media, ...markMember(part.cache) }] : [];
  });
}

/** Content as plain text where possible: many services accept nothing else. */
function plainWherePossible(content: readonly JsonObject[], separator = "\n"): unknown {
  const plain = content.every((part) => part.type === "text" && Object.keys(part).length === 2);
  return plain ? content.map(({ text }) => text).join(separator) : content;
}

/**
 * If a client of another format allows only some tools, the others are left out: few services support `allowed_tools`.
 */
function offeredOf({ tools, toolChoice, extra }: Conversation): readonly Tool[] {
  if (extra.dialect === "openai-chat" || toolChoice?.type !== "allowed") return tools;
  return tools.filter(({ name }) => toolChoice.names.includes(name));
}

function toolsOf(tools: readonly Tool[], dropped: Dropped): JsonObject[] | null {
  const written = tools.map((tool) => toolOf(tool, dropped)).filter((tool) => tool !== null);
  return written.length > 0 ? written : null;
}

function toolOf(tool: Tool, dropped: Dropped): JsonObject | null {
  switch (tool.type) {
    case "function": {
      const { name, description, parameters, strict, cache } = tool;
      const schema = parameters ?? { type: "object", properties: {} };
      const called = compact({ name, description, parameters: schema, strict });
      return { type: "function", function: called, ...markMember(cache) };
    }
    case "custom": {
      const { name, description, format, cache } = tool;
      const { type, ...grammar } = format ?? {};
      const written = type === "grammar" ? { type, grammar } : format;
      return {
        type: "custom",
        custom: compact({ name, description, format: written }),
        ...markMember(cache),
      };
    }
    case "hosted":
      if (tool.dialect === "openai-chat") return tool.value;
      dropped.add(`tools: ${tool.name}`);
      return null;
  }
}

function choiceOf(conversation: Conversation, dropped: Dropped): unknown {
  const choice = conversation.toolChoice;
  if (!choice) return null;
  if (conversation.extra.dialect !== "openai-chat" && choosesHosted(conversation)) {
    dropped.add("tool_choice");
    return null;
  }
  switch (choice.type) {
    case "tool":
      return choice.kind === "custom"
        ? { type: "custom", custom: { name: choice.name } }
        : { type: "function", function: { name: choice.name } };
    case "allowed": {
      if (conversation.extra.dialect !== "openai-chat") return choice.mode;
      const tools = choice.names.map((name) => ({ type: "function", function: { name } }));
      return { type: "allowed_tools", allowed_tools: { mode: choice.mode, tools } };
    }
    default:
      return choice.type;
  }
}

function formatOf(format: Conversation["format"]): JsonObject | null {
  if (!format || format.type === "text") return null;
  if (format.type === "json") return { type: "json_object" };
  const { name, description, schema, strict } = format;
  return { type: "json_schema", json_schema: compact({ name, description, schema, strict }) };
}

import { lookupTable } from "../../../lib/values/lookup-table.ts";
import type { Dropped, Target } from "../../conversation/codec.ts";
import type { Conversation, DialogTurn, Part, Tool, ToolChoice, Turn } from "../../conversation/conversation.ts";
import { systemAsUser } from "../../conversation/system-turns.ts";
import { GEMINI_TIERS } from "../../gemini/request/encode-request.ts";
import { recordDroppedNative, recordForeignFields } from "../../helpers/dropped-fields.ts";
import { effortOfSetting } from "../../helpers/reasoning-setting.ts";
import { compact, type JsonObject, recordOf } from "../../json.ts";
import {
  foreignSearch,
  isSynthesized,
  isWebSearch,
  recordDroppedSearch,
  SEARCH_MEMBERS,
} from "../../tools/web-search.ts";
import { argumentsOf, INTERACTIONS, sealCall, sealThought, writeContent, writeResult } from "../steps.ts";

const LEVELS = lookupTable<string>({
  none: "minimal",
  minimal: "minimal",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
});

/** Writes a request for an interaction. Source: https://ai.google.dev/api/interactions-api */
export function encodeRequest(conversation: Conversation, target: Target, dropped: Dropped): JsonObject {
  const { extra, system, sampling, reasoning, format } = conversation;
  const isOwn = extra.dialect === INTERACTIONS;
  const own = isOwn ? extra.members : {};
  recordDroppedOptions(conversation, dropped);
  if (!isOwn) recordForeignFields(conversation, ["store", ...SEARCH_MEMBERS], dropped);
  const search = foreignSearch(conversation, INTERACTIONS);
  if (search) recordDroppedSearch(search, [], dropped);
  const tools = conversation.tools
    .filter((tool) => !search || !isWebSearch(tool))
    .flatMap((tool) => writeTool(tool, dropped) ?? []);
  if (search) tools.push({ type: "google_search" });
  const generation = compact({
    ...recordOf(own.generation_config),
    max_output_tokens: sampling.maxOutputTokens,
    temperature: sampling.temperature,
    top_p: sampling.topP,
    seed: sampling.seed,
    stop_sequences: sampling.stop.length > 0 ? sampling.stop : null,
    thinking_level: reasoning.setting && LEVELS[effortOfSetting(reasoning.setting)],
    thinking_summaries: reasoning.show === null ? null : reasoning.show ? "auto" : "none",
    tool_choice: tools.length > 0 ? writeChoice(conversation.toolChoice) : null,
  });
  return compact({
    ...own,
    ...(own.agent === undefined && { model: target.model }),
    system_instruction: system.length > 0 ? system.map(({ text }) => text).join("\n\n") : null,
    input: writeSteps(conversation.turns, dropped),
    stream: conversation.stream || null,
    // Google stores interactions unless the client says otherwise; the gateway has stored other formats' conversations.
    store: isOwn ? own.store : extra.members.store === true,
    tools: tools.length > 0 ? tools : null,
    generation_config: Object.keys(generation).length > 0 ? generation : null,
    response_format: own.response_format ?? writeFormat(format),
    response_modalities: conversation.modalities,
    service_tier: GEMINI_TIERS[conversation.serviceTier ?? ""],
  });
}

/** Options of other formats that an interaction lacks. */
function recordDroppedOptions(conversation: Conversation, dropped: Dropped): void {
  const { sampling, parallelToolCalls, verbosity, user, promptCacheKey, metadata, serviceTier, audio } = conversation;
  const { n, frequencyPenalty, presencePenalty, logitBias, logprobs, topLogprobs, topK } = sampling;
  if (n !== null && n > 1) dropped.add("n");
  if (frequencyPenalty !== null) dropped.add("frequency_penalty");
  if (presencePenalty !== null) dropped.add("presence_penalty");
  if (logitBias !== null) dropped.add("logit_bias");
  if (logprobs !== null) dropped.add("logprobs");
  if (topLogprobs !== null) dropped.add("top_logprobs");
  if (topK !== null) dropped.add("top_k");
  if (parallelToolCalls === false) dropped.add("parallel_tool_calls");
  if (verbosity !== null) dropped.add("verbosity");
  if (user !== null) dropped.add("user");
  if (promptCacheKey !== null) dropped.add("prompt_cache_key");
  if (metadata !== null) dropped.add("metadata");
  if (audio !== null) dropped.add("audio");
  if (serviceTier !== null && serviceTier !== "auto" && !GEMINI_TIERS[serviceTier]) dropped.add("service_tier");
}

/** Turns as the steps that make them up. */
export const writeSteps = (turns: readonly Turn[], dropped: Dropped): JsonObject[] =>
  systemAsUser(turns).flatMap(({ role, parts }) => new StepWriter(role).write(parts, dropped));

/** Groups the parts of one turn in steps. */
class StepWriter {
  readonly #steps: JsonObject[] = [];
  #contents: JsonObject[] | null = null;

  constructor(private readonly role: DialogTurn["role"]) {}

  write(parts: readonly Part[], dropped: Dropped): JsonObject[] {
    for (const part of parts) this.#part(part, dropped);
    return this.#steps;
  }

  #part(part: Part, dropped: Dropped): void {
    switch (part.type) {
      case "reasoning":
        this.#step({
          type: "thought",
          ...(part.signature && { signature: sealThought(part.signature, part.encrypted === true) }),
          summary: part.text === "" ? [] : [{ type: "text", text: part.text }],
        });
        return;
      case "tool-call":
        if (part.signature) this.#step({ type: "thought", signature: sealCall(part.signature, part.id), summary: [] });
        this.#step({ type: "function_call", id: part.id, name: part.name, arguments: argumentsOf(part.input) });
        return;
      case "tool-result":
        this.#step(writeResult(part));
        return;
      case "native":
        // A search that another provider ran is unknown to Google.
        if (part.dialect === INTERACTIONS) isSynthesized(part.value) || this.#step(part.value);
        else recordDroppedNative(part, dropped);
        return;
      default: {
        const content = writeContent(part);
        if (content) this.#content(content);
        else dropped.add(part.type);
      }
    }
  }

  #content(content: JsonObject): void {
    if (!this.#contents) {
      this.#contents = [];
      this.#steps.push({ type: this.role === "user" ? "user_input" : "model_output", content: this.#contents });
    }
    this.#contents.push(content);
  }

  #step(step: JsonObject): void {
    this.#contents = null;
    this.#steps.push(step);
  }
}

function writeTool(tool: Tool, dropped: Dropped): JsonObject | null {
  if (tool.type === "function") {
    const { type, name, description, parameters } = tool;
    return compact({ type, name, description, parameters });
  }
  if (tool.type === "hosted" && tool.dialect === INTERACTIONS) return tool.value;
  dropped.add(`tools: ${tool.name}`);
  return null;
}

function writeChoice(choice: ToolChoice | null): unknown {
  switch (choice?.type) {
    case "tool":
      return { allowed_tools: { mode: "any", tools: [choice.name] } };
    case "allowed":
      return { allowed_tools: { mode: choice.mode === "required" ? "any" : "auto", tools: choice.names } };
    case "required":
      return "any";
    default:
      return choice?.type ?? null;
  }
}

function writeFormat(format: Conversation["format"]): JsonObject | null {
  switch (format?.type) {
    case "schema":
      return { type: "text", mime_type: "application/json", schema: format.schema };
    case "json":
      return { type: "text", mime_type: "application/json" };
    default:
      return null;
  }
}

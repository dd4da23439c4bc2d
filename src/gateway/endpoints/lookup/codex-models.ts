/**
 * The list of models in the form of Codex (`codex-rs/protocol/src/openai_models.rs` of https://github.com/openai/codex): it asks
 * `GET /models?client_version=…` of a provider whose key comes from a command, and takes from the list when it has to compact.
 */
import type { ModelInfo } from "../../../catalog/catalog.ts";
import type { ReasoningEffort } from "../../../catalog/entry.ts";
import type { Caller } from "../../call/caller.ts";
import { findModelInfo, type ModelObjectContext } from "./model-object.ts";

/** Whether the list is requested by Codex. */
export const isCodex = ({ url }: Request): boolean => new URL(url).searchParams.has("client_version");

/** The efforts that every version of Codex knows: it reads no list that has another. */
const EFFORTS: Readonly<Partial<Record<ReasoningEffort, string>>> = {
  none: "No reasoning",
  minimal: "Hardly any reasoning",
  low: "Short reasoning, fast answers",
  medium: "Reasoning for everyday tasks",
  high: "Long reasoning for hard tasks",
  xhigh: "The longest reasoning",
};

/** Codex cuts the output of a tool there. */
const TOOL_OUTPUT_BYTES = 10_000;

/** What replaces Codex' own instructions for a listed model: the form demands a text, and Codex sends none where it is empty. */
const INSTRUCTIONS = `You are a coding agent in Codex CLI, a terminal program in which a person works with you on the files of a project. Be precise, careful and helpful.

# How you work
- Keep going until the task is done, then end your turn. Do not stop at a plan, and do not guess: read files and run commands to find out.
- Before a group of tool calls say in a sentence what you are about to do. For tasks of several steps keep the plan current if a plan tool is there.
- Run independent tool calls in parallel.
- Search with \`rg\` and \`rg --files\` if they are installed. Read only the part of a file that you need.
- Edit files with \`apply_patch\`; it says itself whether it succeeded, so do not read the file again. Do not write files with \`cat\`, and do not use a script for a simple edit.
- Fix causes rather than symptoms, with the smallest change in the style of the code around it. Leave unrelated faults alone, but mention them.
- Comment only what is not obvious. Add no license headers.
- Changes in the working tree that are not yours belong to the person: never revert them, and never run destructive commands such as \`git reset --hard\` unless they are requested. Commit or create branches only when asked.
- Verify your work with the project's tests, linter or build where it has them: the closest test first, then wider ones. Never say that something passes without having run it.

# AGENTS.md
Repositories may contain AGENTS.md files with instructions. One holds for the whole folder that it is in, a deeper one takes precedence, and direct instructions of the person take precedence over all. Those of the root and of the folders down to the working directory are already in the conversation; look for others when you work elsewhere.

# Permissions
Commands may run in a sandbox, and some may need approval. If an important command fails because of the sandbox, ask for approval where the tool offers that, with a short reason. Do not work around a refusal.

# Answers
- Your text is shown in a terminal as plain text with light Markdown. Be brief: for a simple result a few sentences, for a larger one short sections or a flat list.
- Say first what changed and why, then where. Name files as \`path/to/file:line\`. Do not print whole files, and do not tell the person to save or copy what you have written.
- If something could not be done or verified, say so. Propose next steps only where they are natural.`;

/** The models whose context window is known: for the others Codex assumes its own. */
export const codexModels = (context: ModelObjectContext, caller: Caller, models: readonly string[]) =>
  models.flatMap((model, index) => {
    const info = findModelInfo(context, caller, model);
    return info.context_window !== null && (info.output_modalities?.includes("text") ?? true)
      ? [codexModel(model, index, info, info.context_window)]
      : [];
  });

function codexModel(model: string, index: number, info: ModelInfo, contextWindow: number) {
  const reasons = info.reasoning !== null && info.reasoning.style !== "none";
  const efforts = (info.reasoning?.efforts ?? []).flatMap((effort) => {
    const description = EFFORTS[effort];
    return description ? [{ effort, description }] : [];
  });
  return {
    slug: model,
    display_name: info.name ?? model,
    description: info.description,
    supported_reasoning_levels: efforts,
    shell_type: "default",
    visibility: "list",
    supported_in_api: true,
    priority: index,
    base_instructions: INSTRUCTIONS,
    supports_reasoning_summaries: reasons,
    supports_reasoning_summary_parameter: reasons,
    support_verbosity: false,
    apply_patch_tool_type: "freeform",
    truncation_policy: { mode: "bytes", limit: TOOL_OUTPUT_BYTES },
    supports_parallel_tool_calls: true,
    context_window: contextWindow,
    max_context_window: contextWindow,
    experimental_supported_tools: [],
    input_modalities: info.input_modalities?.includes("image") === false ? ["text"] : ["text", "image"],
  };
}

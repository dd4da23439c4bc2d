import { type JsonObject, recordsOf, textOf, textsOf } from "../../formats/json.ts";
import type { TopLevelChanges } from "../../lib/values/json/json-splice.ts";
import { lookupTable } from "../../lib/values/lookup-table.ts";
import type { CallParams, Limitation, Rejection } from "../contract/provider.ts";

/** Betas that the clouds hosting Claude accept; they reject requests with any other. */
const ACCEPTED: Readonly<Record<"bedrock" | "vertex", ReadonlySet<string>>> = {
  bedrock: new Set(
    `computer-use-2024-10-22 computer-use-2025-01-24 computer-use-2025-11-24 token-efficient-tools-2025-02-19
    interleaved-thinking-2025-05-14 output-128k-2025-02-19 dev-full-thinking-2025-05-14 context-1m-2025-08-07
    context-management-2025-06-27 effort-2025-11-24 tool-search-tool-2025-10-19 tool-examples-2025-10-29
    fine-grained-tool-streaming-2025-05-14 compact-2026-01-12`.split(/\s+/),
  ),
  vertex: new Set(
    `computer-use-2024-10-22 computer-use-2025-01-24 computer-use-2025-11-24 token-efficient-tools-2025-02-19
    interleaved-thinking-2025-05-14 output-128k-2025-02-19 context-1m-2025-08-07 context-management-2025-06-27
    tool-search-tool-2025-10-19 fine-grained-tool-streaming-2025-05-14 web-search-2025-03-05 compact-2026-01-12`.split(
      /\s+/,
    ),
  ),
};
/** Anthropic's betas for several features, mapped to the ones that the clouds have. */
const OTHER_NAMES = lookupTable<string>({ "advanced-tool-use-2025-11-20": "tool-search-tool-2025-10-19" });
/**
 * Betas that identify the client or are obsolete (Vertex accepts `output_config.effort` without one): dropping them
 * loses nothing.
 */
const NO_LOSS = /^(claude-code|oauth|prompt-caching|effort)-/;

/** Features that only Anthropic has: the clouds have their own tiers and regions, and do not run others' tools. */
const ANTHROPIC_ONLY = ["service_tier", "inference_geo", "container", "mcp_servers", "speed"];
/** Tools that Anthropic runs; Vertex has only its web search. */
const RUN_BY_ANTHROPIC = /^(web_search|web_fetch|code_execution)_/;
const WEB_SEARCH = "web-search-2025-03-05";

type Cloud = keyof typeof ACCEPTED;
type BetaParams = Pick<CallParams, "betas" | "limitations" | "model">;
type Changed = Readonly<{ changes: TopLevelChanges; dropped: readonly string[] }>;

/** A request's members as a cloud accepts them; what only Anthropic has is dropped. */
export function cloudMembers(cloud: Cloud, body: JsonObject, params: BetaParams): Changed {
  const { changes, dropped } = cloudBetas(cloud, body, params);
  const tools = recordsOf(body.tools);
  const hosted = cloud === "bedrock" ? tools.filter(({ type }) => RUN_BY_ANTHROPIC.test(textOf(type) ?? "")) : [];
  const others = tools.filter((tool) => !hosted.includes(tool));
  return {
    changes: {
      ...Object.fromEntries(ANTHROPIC_ONLY.map((name) => [name, undefined])),
      ...changes,
      ...(hosted.length > 0 && { tools: others.length > 0 ? others : undefined }),
      ...(hosted.length > 0 && others.length === 0 && { tool_choice: undefined }),
    },
    dropped: [
      ...dropped,
      ...ANTHROPIC_ONLY.filter((name) => body[name] != null),
      ...hosted.map(({ name, type }) => `tools: ${textOf(name) ?? type}`),
    ],
  };
}

/** Betas requested by header or in the body go into the body, as far as the cloud and the model accept them. */
export function cloudBetas(cloud: Cloud, body: JsonObject, { betas = [], limitations, model }: BetaParams): Changed {
  const { anthropic_beta: member } = body;
  const inBody = typeof member === "string" ? member.split(",") : textsOf(member);
  const searches =
    cloud === "vertex" && recordsOf(body.tools).some(({ type }) => textOf(type)?.startsWith("web_search"));
  const needed = searches ? [WEB_SEARCH] : [];
  const requested = [...inBody, ...betas, ...needed].map((name) => name.trim()).filter((name) => name !== "");
  const names = [...new Set(requested.map((name) => OTHER_NAMES[name] ?? name))];
  const takesBetas = limitations?.has(`betas:${model}`) !== true;
  const accepts = (name: string) => takesBetas && ACCEPTED[cloud].has(name);
  const accepted = names.filter(accepts);
  const lost = names.filter((name) => !accepts(name) && !NO_LOSS.test(name));
  return {
    changes: { anthropic_beta: accepted.length > 0 ? accepted : undefined },
    dropped: lost.map((name) => `anthropic-beta: ${name}`),
  };
}

const BETAS_REJECTED = /(invalid|unsupported|unexpected|unknown) .{0,40}\bbeta\b|anthropic[_-]beta/i;

/** Learns that a model takes no betas: not every model of a cloud takes those that the cloud accepts. */
export function onBetasRejected({ status, error, params }: Rejection): Limitation | null {
  const { model, betas = [] } = params;
  const sentBetas = betas.some((name) => name.trim() !== "");
  return sentBetas && status === 400 && BETAS_REJECTED.test(error.message) ? `betas:${model}` : null;
}

import { type JsonObject, recordsOf, textOf, textsOf } from "../../formats/json.ts";
import type { TopLevelChanges } from "../../lib/json-splice.ts";
import { lookupTable } from "../../lib/lookup-table.ts";
import type { Ask } from "../contract/provider.ts";

/** What the clouds that host Claude call a beta; whatever is not here they refuse, with the whole request. */
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
/** Anthropic's own name for several features at once → what the clouds have of them. */
const OTHER_NAMES = lookupTable<string>({ "advanced-tool-use-2025-11-20": "tool-search-tool-2025-10-19" });
/** Tells who calls, or needs no beta any more (`output_config.effort`, which Vertex takes without): nobody misses it. */
const NO_LOSS = /^(claude-code|oauth|prompt-caching|effort)-/;

/** Anthropic alone has these: the clouds have tiers and regions of their own, and run no tools of others. */
const ELSEWHERE = ["service_tier", "inference_geo", "container", "mcp_servers", "speed"];
/** Tools that run at Anthropic; Vertex has its search. */
const RUN_BY_ANTHROPIC = /^(web_search|web_fetch|code_execution)_/;
const WEB_SEARCH = "web-search-2025-03-05";

type Cloud = keyof typeof ACCEPTED;
type Betas = Pick<Ask, "betas" | "refusesBetas">;
type Changed = Readonly<{ changes: TopLevelChanges; dropped: readonly string[] }>;

/** The members of a request that the clouds take otherwise than Anthropic; what only Anthropic has goes nowhere. */
export function cloudMembers(cloud: Cloud, body: JsonObject, ask: Betas): Changed {
  const { changes, dropped } = cloudBetas(cloud, body, ask);
  const tools = recordsOf(body.tools);
  const runBy = cloud === "bedrock" ? tools.filter(({ type }) => RUN_BY_ANTHROPIC.test(textOf(type) ?? "")) : [];
  const left = tools.filter((tool) => !runBy.includes(tool));
  return {
    changes: {
      ...Object.fromEntries(ELSEWHERE.map((name) => [name, undefined])),
      ...changes,
      ...(runBy.length > 0 && { tools: left.length > 0 ? left : undefined }),
      ...(runBy.length > 0 && left.length === 0 && { tool_choice: undefined }),
    },
    dropped: [
      ...dropped,
      ...ELSEWHERE.filter((name) => body[name] != null),
      ...runBy.map(({ name, type }) => `tools: ${textOf(name) ?? type}`),
    ],
  };
}

/** Betas, by header and in the body, go in the body, those the cloud knows. */
export function cloudBetas(
  cloud: Cloud,
  body: JsonObject,
  { betas: asked = [], refusesBetas = false }: Betas,
): Changed {
  const { anthropic_beta: own } = body;
  const inBody = typeof own === "string" ? own.split(",") : textsOf(own);
  const searches =
    cloud === "vertex" && recordsOf(body.tools).some(({ type }) => textOf(type)?.startsWith("web_search"));
  const needed = searches ? [WEB_SEARCH] : [];
  const wanted = [...inBody, ...asked, ...needed].map((name) => name.trim()).filter((name) => name !== "");
  const named = [...new Set(wanted.map((name) => OTHER_NAMES[name] ?? name))];
  const takes = (name: string) => !refusesBetas && ACCEPTED[cloud].has(name);
  const known = named.filter(takes);
  const lost = named.filter((name) => !takes(name) && !NO_LOSS.test(name));
  return {
    changes: { anthropic_beta: known.length > 0 ? known : undefined },
    dropped: lost.map((name) => `anthropic-beta: ${name}`),
  };
}

/** Whether a cloud refuses a request for its betas: what a cloud knows, not each of its models takes. */
export const isBetaRefusal = (status: number, message: string): boolean =>
  status === 400 && /(invalid|unsupported|unexpected|unknown) .{0,40}\bbeta\b|anthropic[_-]beta/i.test(message);

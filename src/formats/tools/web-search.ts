import type { Dropped } from "../conversation/codec.ts";
import type { Conversation, Part, Tool } from "../conversation/conversation.ts";
import { GATEWAY_MARK, hasGatewayMark } from "../conversation/signature.ts";
import { compact } from "../helpers/compact.ts";
import { type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf, textsOf } from "../json.ts";

type Hosted = Extract<Tool, { type: "hosted" }>;
type Native = Extract<Part, { type: "native" }>;

/** How the web is to be searched, as far as more than one format can say it. */
export type WebSearch = Readonly<{
  /** Where the client said so. */
  from: "tools" | "web_search_options";
  /** Of the user: `country`, `region`, `city`, `timezone`; null: nothing is known. */
  location: JsonObject | null;
  allowedDomains: readonly string[];
  blockedDomains: readonly string[];
  /** Searches at most. */
  maxUses: number | null;
  /** How much of what is found goes into the context: "low", "medium", "high". */
  contextSize: string | null;
  /** Wishes that only the client's format has words for. */
  foreignOptions: readonly string[];
}>;

/** The wishes of a search, by the names that clients are told of what was dropped. */
const SEARCH_OPTIONS = {
  user_location: ({ location }: WebSearch) => location !== null,
  allowed_domains: ({ allowedDomains }: WebSearch) => allowedDomains.length > 0,
  blocked_domains: ({ blockedDomains }: WebSearch) => blockedDomains.length > 0,
  max_uses: ({ maxUses }: WebSearch) => maxUses !== null,
  // Medium is what everybody does who is not told.
  search_context_size: ({ contextSize }: WebSearch) => contextSize !== null && contextSize !== "medium",
} as const;
type SearchOption = keyof typeof SEARCH_OPTIONS;

/** A hosted tool that searches the web, whoever's it is. */
export const isWebSearch = (tool: Tool): boolean => tool.type === "hosted" && tool.name.startsWith("web_search");

/** A choice of tool that names one which the provider runs itself. */
export const choosesHosted = ({ tools, toolChoice }: Pick<Conversation, "tools" | "toolChoice">): boolean =>
  toolChoice?.type === "tool" && !tools.some(({ type, name }) => type !== "hosted" && name === toolChoice.name);

/** What a client of another format than the target's wants to be searched; null: nothing, or it says so in the target's own words. */
export function foreignSearch({ tools, extra }: Conversation, target: Hosted["dialect"]): WebSearch | null {
  const tool = tools.find((one): one is Hosted => isWebSearch(one));
  if (tool) return tool.dialect === target ? null : readTool(tool, extra.members);
  if (extra.dialect !== "openai-chat" || target === "openai-chat") return null;
  const options = recordOf(extra.members.web_search_options);
  return options && { ...readOptions(options), from: "web_search_options" };
}

/** For formats that search at a switch: whether it is to be on, and the conversation without the wish. */
export function takeSearch(
  conversation: Conversation,
  target: Hosted["dialect"],
  dropped: Dropped,
): Readonly<{ searches: true | null; rest: Conversation }> {
  const search = foreignSearch(conversation, target);
  if (!search) return { searches: null, rest: conversation };
  recordDroppedSearch(search, [], dropped);
  const { web_search_options: _, max_tool_calls: __, ...members } = conversation.extra.members;
  const tools = conversation.tools.filter((tool) => !isWebSearch(tool));
  return { searches: true, rest: { ...conversation, tools, extra: { ...conversation.extra, members } } };
}

/** Members by which a client asks for a search, or limits it, besides its tools: met where the target searches. */
export const SEARCH_MEMBERS: readonly string[] = ["web_search_options", "max_tool_calls"];

/** Notes what of a search the target's format has no words for; `said` are those that it has. */
export function recordDroppedSearch(search: WebSearch, supported: readonly SearchOption[], dropped: Dropped): void {
  for (const [name, isWished] of Object.entries(SEARCH_OPTIONS))
    if (!supported.includes(name as SearchOption) && isWished(search)) dropped.add(`${search.from}: ${name}`);
  for (const name of search.foreignOptions) dropped.add(`${search.from}: ${name}`);
}

/** Whether tools as a client of any format lists them search the web. */
export const listsSearch = (tools: unknown): boolean =>
  recordsOf(tools).some(
    ({ type, googleSearch, google_search, googleSearchRetrieval }) =>
      textOf(type)?.startsWith("web_search") || (googleSearch ?? google_search ?? googleSearchRetrieval) !== undefined,
  );

/** Whether the body of a chat in any client's format requests a web search. */
export const requestsSearch = ({ web_search_options, tools }: JsonObject): boolean =>
  web_search_options != null || listsSearch(tools);

function readTool({ dialect, value }: Hosted, members: JsonObject): WebSearch {
  switch (dialect) {
    case "anthropic":
      return {
        ...NOTHING,
        location: locationOf(value.user_location),
        allowedDomains: textsOf(value.allowed_domains),
        blockedDomains: textsOf(value.blocked_domains),
        maxUses: numberOf(value.max_uses),
      };
    case "openai-responses": {
      const { allowed_domains, ...filters } = recordOf(value.filters) ?? {};
      const further = { ...filters, ...(value.external_web_access === false && { external_web_access: false }) };
      return {
        ...readOptions(value),
        allowedDomains: textsOf(allowed_domains),
        maxUses: numberOf(members.max_tool_calls),
        foreignOptions: Object.keys(compact(further)),
      };
    }
    case "gemini": {
      const search = recordOf(Object.values(value)[0]);
      const { excludeDomains, exclude_domains, ...further } = search ?? {};
      return {
        ...NOTHING,
        blockedDomains: textsOf(excludeDomains ?? exclude_domains),
        foreignOptions: Object.keys(further),
      };
    }
    default:
      return NOTHING;
  }
}

const NOTHING: WebSearch = {
  from: "tools",
  location: null,
  allowedDomains: [],
  blockedDomains: [],
  maxUses: null,
  contextSize: null,
  foreignOptions: [],
};

const readOptions = ({ user_location, search_context_size }: JsonObject): WebSearch => ({
  ...NOTHING,
  location: locationOf(user_location),
  contextSize: textOf(search_context_size),
});

/** OpenAI's chats have it one level deeper than the others. */
function locationOf(value: unknown): JsonObject | null {
  const location = recordOf(value);
  const { country, region, city, timezone } = recordOf(location?.approximate) ?? location ?? {};
  const known = compact({ country, region, city, timezone });
  return Object.keys(known).length > 0 ? known : null;
}

/** What a provider has searched for, and found, by itself. */
export type Searched = Readonly<{
  queries: readonly string[];
  found: readonly Readonly<{ url: string; title: string }>[];
}>;

/** A search as the provider's own format tells it; null: it tells of something else. */
export function searchedIn({ dialect, name, value }: Omit<Native, "type">): Searched | null {
  if (dialect === "openai-responses" && name === "web_search_call") return searchOfCall(value);
  if (dialect === "anthropic" && isClaudesCall(name, value)) {
    return { queries: listed(recordOf(value.input)?.query), found: [] };
  }
  if (dialect !== "gemini" || name !== GROUNDING) return null;
  const grounding = recordOf(value[GROUNDING]);
  const queries = textsOf(grounding?.webSearchQueries);
  const found = recordsOf(grounding?.groundingChunks).flatMap(({ web }) => pageOf(recordOf(web), "uri"));
  return queries.length + found.length > 0 ? { queries, found } : null;
}

/** Gemini's member that tells what a search found. */
export const GROUNDING = "groundingMetadata";

const isClaudesCall = (name: string, value: JsonObject): boolean =>
  name === "server_tool_use" && value.name === "web_search";

/** Pages that were opened after a search are no search; xAI tells its query as the arguments of a call. */
function searchOfCall({ action, arguments: input }: JsonObject): Searched | null {
  const done = recordOf(action) ?? { type: "search", ...recordOf(parseJson(textOf(input) ?? "")) };
  if ((done.type ?? "search") !== "search") return null;
  const queries = textsOf(done.queries);
  const found = recordsOf(done.sources).flatMap((source) => pageOf(source, "url"));
  return { queries: queries.length > 0 ? queries : listed(done.query), found };
}

const listed = (query: unknown): string[] => (typeof query === "string" && query !== "" ? [query] : []);

function pageOf(page: JsonObject | null, member: "uri" | "url"): Searched["found"] {
  const url = textOf(page?.[member]);
  return url === null ? [] : [{ url, title: textOf(page?.title) ?? url }];
}

/** An id for a search that is told to a client whose format the provider does not speak; `prefix` as that format has it. */
export const madeUpId = (newId: (prefix: string) => string, prefix: string): string => newId(prefix + GATEWAY_MARK);

/** The search was told so by this gateway: the provider whose words it is in knows nothing of it. */
export const isMadeUp = ({ id, tool_use_id }: JsonObject): boolean =>
  hasGatewayMark(textOf(id) ?? textOf(tool_use_id) ?? "");

/** A search of an earlier turn: what it found stands in the words of the answer, so that nothing is lost without it. */
export const isPastSearch = ({ dialect, name, value }: Omit<Native, "type">): boolean =>
  (dialect === "openai-responses" && name === "web_search_call") ||
  (dialect === "anthropic" && (name === "web_search_tool_result" || isClaudesCall(name, value))) ||
  (dialect === "gemini" && name === GROUNDING);

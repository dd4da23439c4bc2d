import type { Dropped } from "../conversation/codec.ts";
import type { Conversation, Part, Tool } from "../conversation/conversation.ts";
import { GATEWAY_MARK, hasGatewayMark } from "../conversation/signature.ts";
import { compact, type JsonObject, numberOf, parseJson, recordOf, recordsOf, textOf, textsOf } from "../json.ts";

type Hosted = Extract<Tool, { type: "hosted" }>;
type Native = Extract<Part, { type: "native" }>;

/** The web search options that more than one format has. */
export type WebSearch = Readonly<{
  /** Where the client requests the search. */
  from: "tools" | "web_search_options";
  /** The user's `country`, `region`, `city`, `timezone`; null if unknown. */
  location: JsonObject | null;
  allowedDomains: readonly string[];
  blockedDomains: readonly string[];
  /** Maximum number of searches. */
  maxUses: number | null;
  /** How much of the results goes into the context: "low", "medium", "high". */
  contextSize: string | null;
  /** Options that only the client's format has. */
  foreignOptions: readonly string[];
}>;

/** Reads each search option, by the name under which clients learn that it was dropped. */
const SEARCH_OPTIONS = {
  user_location: ({ location }: WebSearch) => location !== null,
  allowed_domains: ({ allowedDomains }: WebSearch) => allowedDomains.length > 0,
  blocked_domains: ({ blockedDomains }: WebSearch) => blockedDomains.length > 0,
  max_uses: ({ maxUses }: WebSearch) => maxUses !== null,
  // "medium" is the default everywhere.
  search_context_size: ({ contextSize }: WebSearch) => contextSize !== null && contextSize !== "medium",
} as const;
type SearchOption = keyof typeof SEARCH_OPTIONS;

/** Whether the tool is a hosted web search, of any provider. */
export const isWebSearch = (tool: Tool): boolean => tool.type === "hosted" && tool.name.startsWith("web_search");

/** Whether the tool choice names a tool that the provider runs. */
export const choosesHosted = ({ tools, toolChoice }: Pick<Conversation, "tools" | "toolChoice">): boolean =>
  toolChoice?.type === "tool" && !tools.some(({ type, name }) => type !== "hosted" && name === toolChoice.name);

/**
 * The web search that a client of another format than the target's requests; null if none, or if the request has it in
 * the target's format.
 */
export function foreignSearch({ tools, extra }: Conversation, target: Hosted["dialect"]): WebSearch | null {
  const [tool, ...more] = tools.filter((one): one is Hosted => isWebSearch(one));
  if (tool?.dialect === target) return null;
  if (tool) {
    const search = readTool(tool, extra.members);
    // A second search tool adds nothing but its options.
    const others = more.flatMap(({ value }) => optionsBut(value, SEARCH_NAMES));
    return { ...search, foreignOptions: [...search.foreignOptions, ...others] };
  }
  if (extra.dialect !== "openai-chat" || target === "openai-chat") return null;
  const options = recordOf(extra.members.web_search_options);
  return options && { ...readOptions(options), from: "web_search_options" };
}

/** For formats with a search switch: whether to turn it on, and the conversation without the search. */
export function extractSearch(
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

/** Members, in addition to tools, by which a client requests or limits a search; covered if the target searches. */
export const SEARCH_MEMBERS: readonly string[] = ["web_search_options", "max_tool_calls"];

/** Records the search options that the target's format lacks: all but the `supported` ones. */
export function recordDroppedSearch(search: WebSearch, supported: readonly SearchOption[], dropped: Dropped): void {
  for (const [name, isWished] of Object.entries(SEARCH_OPTIONS))
    if (!supported.includes(name as SearchOption) && isWished(search)) dropped.add(`${search.from}: ${name}`);
  for (const name of search.foreignOptions) dropped.add(`${search.from}: ${name}`);
}

/** Whether a list of tools, in any client's format, contains a web search. */
export const listsSearch = (tools: unknown): boolean =>
  recordsOf(tools).some(
    ({ type, googleSearch, google_search, googleSearchRetrieval }) =>
      textOf(type)?.startsWith("web_search") ||
      type === "google_search" ||
      (googleSearch ?? google_search ?? googleSearchRetrieval) !== undefined,
  );

/** Whether the body of a chat in any client's format requests a web search. */
export const requestsSearch = ({ web_search_options, tools }: JsonObject): boolean =>
  web_search_options != null || listsSearch(tools);

/** Members that make a tool a web search. */
const SEARCH_NAMES: readonly string[] = ["type", "name"];

const optionsBut = (value: JsonObject, read: readonly string[]): string[] =>
  Object.keys(compact(value)).filter((name) => !read.includes(name));

function readTool({ dialect, value }: Hosted, members: JsonObject): WebSearch {
  switch (dialect) {
    case "anthropic":
      return {
        ...NOTHING,
        location: locationOf(value.user_location),
        allowedDomains: textsOf(value.allowed_domains),
        blockedDomains: textsOf(value.blocked_domains),
        maxUses: numberOf(value.max_uses),
        foreignOptions: optionsBut(value, [
          ...[...SEARCH_NAMES, "user_location", "allowed_domains", "blocked_domains", "max_uses", "cache_control"],
        ]),
      };
    case "openai-responses": {
      const { allowed_domains, ...filters } = recordOf(value.filters) ?? {};
      const { filters: _, user_location: __, search_context_size: ___, external_web_access: access, ...others } = value;
      const unread = optionsBut(others, SEARCH_NAMES);
      const further = {
        ...filters,
        ...Object.fromEntries(unread.map((name) => [name, value[name]])),
        ...(access === false && { external_web_access: access }),
      };
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
    case "gemini-interactions":
      return { ...NOTHING, foreignOptions: optionsBut(value, SEARCH_NAMES) };
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

/** OpenAI's chat API nests the location one level deeper than the others. */
function locationOf(value: unknown): JsonObject | null {
  const location = recordOf(value);
  const { country, region, city, timezone } = recordOf(location?.approximate) ?? location ?? {};
  const known = compact({ country, region, city, timezone });
  return Object.keys(known).length > 0 ? known : null;
}

/** A web search that a provider ran, and its results. */
export type Searched = Readonly<{
  queries: readonly string[];
  found: readonly Readonly<{ url: string; title: string }>[];
  hasFailed?: true;
}>;

/**
 * Joins Claude's calls of its search with their results, which come apart, for formats in which a search is one item. Create one
 * for each response.
 */
export class SearchJoiner {
  #queries: readonly string[] | null = null;

  /** The searches that are complete with this one: none, or also one before it that had no result. */
  push(searched: Searched, isCall: boolean): Searched[] {
    if (!isCall) {
      const queries = this.#queries ?? searched.queries;
      this.#queries = null;
      return [{ ...searched, queries }];
    }
    const before = this.flush();
    this.#queries = searched.queries;
    return before;
  }

  /** A call whose result did not come. */
  flush(): Searched[] {
    const queries = this.#queries;
    this.#queries = null;
    return queries ? [{ queries, found: [] }] : [];
  }
}

/** Whether a search's results come apart from it, afterwards. */
export const awaitsResult = ({ dialect, name }: Omit<Native, "type">): boolean =>
  dialect === "anthropic" && name === "server_tool_use";

/** Reads a search in the provider's own format; null for other parts. */
export function searchedIn({ dialect, name, value }: Omit<Native, "type">): Searched | null {
  if (dialect === "openai-responses" && name === "web_search_call") return searchOfCall(value);
  if (dialect === "anthropic" && isClaudesCall(name, value)) {
    return { queries: listed(recordOf(value.input)?.query), found: [] };
  }
  if (dialect === "anthropic" && name === "web_search_tool_result") {
    const found = recordsOf(value.content).flatMap((page) => pageOf(page, "url"));
    return { queries: [], found, ...(!Array.isArray(value.content) && { hasFailed: true }) };
  }
  if (dialect === "gemini-interactions" && name === "google_search_call") {
    return { queries: textsOf(recordOf(value.arguments)?.queries), found: [] };
  }
  if (dialect !== "gemini" || name !== GROUNDING) return null;
  const grounding = recordOf(value[GROUNDING]);
  const queries = textsOf(grounding?.webSearchQueries);
  const found = recordsOf(grounding?.groundingChunks).flatMap(({ web }) => pageOf(recordOf(web), "uri"));
  return queries.length + found.length > 0 ? { queries, found } : null;
}

/** Gemini's member for search results. */
export const GROUNDING = "groundingMetadata";

const isClaudesCall = (name: string, value: JsonObject): boolean =>
  name === "server_tool_use" && value.name === "web_search";

/**
 * OpenAI also reports pages that were opened after a search as calls, which are not searches; xAI has the query in the
 * call's arguments.
 */
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

/** An id for a search shown to a client of another format; `prefix` as that format has it. */
export const synthesizedId = (newId: (prefix: string) => string, prefix: string): string =>
  newId(prefix + GATEWAY_MARK);

/** Whether this gateway made up the search item: the provider whose format it has does not know it. */
export const isSynthesized = ({ id, tool_use_id, call_id }: JsonObject): boolean =>
  hasGatewayMark(textOf(id) ?? textOf(tool_use_id) ?? textOf(call_id) ?? "");

/** Whether the part is a search of an earlier turn: the answer already contains its results, so it can be dropped. */
export const isPastSearch = ({ dialect, name, value }: Omit<Native, "type">): boolean =>
  (dialect === "openai-responses" && name === "web_search_call") ||
  (dialect === "anthropic" && (name === "web_search_tool_result" || isClaudesCall(name, value))) ||
  (dialect === "gemini-interactions" && /^google_search_(call|result)$/.test(name)) ||
  (dialect === "gemini" && name === GROUNDING);

import { type JsonObject, recordOf, recordsOf, textOf } from "../../formats/json.ts";
import type { Ask } from "../contract/provider.ts";

/** Models of others behind OpenRouter that search by themselves. */
const SEARCHES = /-search-(preview|api)\b|\/sonar|:online$/;

/** OpenRouter searches for any model, as a plugin; its place and amount stay where OpenAI has them. */
export function webPlugin({ plugins }: JsonObject, { model }: Pick<Ask, "model">): JsonObject {
  const own = recordsOf(plugins);
  return SEARCHES.test(model) || own.some(({ id }) => id === "web") ? {} : { plugins: [...own, { id: "web" }] };
}

const ZHIPU_ENGINE = "search_std";

/** Each of Zhipu's engines has a price; a client may have named one in Zhipu's own words. */
export function zhipuSearchTool({ tools }: JsonObject): string {
  const engine = recordsOf(tools).flatMap(({ web_search }) => textOf(recordOf(web_search)?.search_engine) ?? [])[0];
  return `zhipu_${engine ?? ZHIPU_ENGINE}`;
}

/** Zhipu's search is a tool; it tells its results when it is asked to. */
export const zhipuSearch = ({ tools }: JsonObject): JsonObject => ({
  web_search_options: undefined,
  tools: [
    ...recordsOf(tools),
    { type: "web_search", web_search: { enable: true, search_engine: ZHIPU_ENGINE, search_result: true } },
  ],
});

import { recordOf, textOf } from "../dialects/json.ts";
import { OperationError } from "../lib/operation-error.ts";
import { OutboundError } from "../lib/outbound/outbound-error.ts";
import type { SafeFetch } from "../lib/outbound/safe-fetch.ts";
import { providerOf } from "../providers/registry.ts";

type Upstream = Readonly<{
  type: number;
  baseUrl: string;
  key: string;
  other?: string;
  openaiOrganization?: string;
  proxy?: string;
}>;

/** Asks an upstream for its models. Returns their ids, sorted. Throws OperationError with what went wrong. */
export async function fetchModels(fetch: SafeFetch, upstream: Upstream): Promise<string[]> {
  const { type, baseUrl, key, other = "", openaiOrganization = "", proxy = "" } = upstream;
  const provider = providerOf(type);
  if (!provider) throw new OperationError("channel_type_unknown", { type });
  if (key.trim() === "") throw new OperationError("channel_key_required");
  const channel = { baseUrl: baseUrl.replace(/\/+$/, ""), other, openaiOrganization };
  const address = provider.modelListUrl(channel);
  if (!address) throw new OperationError("channel_models_unavailable", { reason: "this type has no list of models" });
  const failed = (reason: string) => new OperationError("channel_models_unavailable", { reason });
  try {
    const answer = await fetch(address, { headers: provider.authHeaders(channel, key), proxy, timeoutMs: 15_000 });
    if (answer.status !== 200) throw failed(`HTTP ${answer.status}`);
    const read: unknown = JSON.parse(answer.text());
    const ids = provider.readModelList?.(read) ?? openAiList(read);
    if (!ids) throw failed("the answer has no list");
    return [...new Set(ids)].sort();
  } catch (error) {
    if (error instanceof OutboundError) throw failed(error.message);
    if (error instanceof SyntaxError) throw failed("the answer is not JSON");
    throw error;
  }
}

/** Some services (Together) answer with the list itself. */
function openAiList(answer: unknown): string[] | null {
  const list = Array.isArray(answer) ? answer : recordOf(answer)?.data;
  return Array.isArray(list) ? list.flatMap((model) => textOf(recordOf(model)?.id) ?? []) : null;
}

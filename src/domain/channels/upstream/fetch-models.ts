import { OperationError } from "../../../lib/operation-error.ts";
import type { SafeFetch } from "../../../lib/outbound/safe-fetch.ts";
import type { Reason } from "../../../lib/reason.ts";
import { providerOf } from "../../../providers/registry.ts";
import { upstreamFailure } from "../status/upstream-failure.ts";
import { userAgentOf } from "./request-options.ts";

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
  const address = provider.modelList?.url(channel);
  const failed = (reason: Reason) => new OperationError("channel_models_unavailable", { reason });
  if (!address) throw failed({ code: "why_no_list_offered" });
  try {
    const answer = await fetch(address, {
      headers: { "user-agent": userAgentOf(), ...provider.authHeaders(channel, key) },
      proxy,
      timeoutMs: 15_000,
    });
    if (answer.status !== 200) throw failed(`HTTP ${answer.status}`);
    const read: unknown = JSON.parse(answer.text());
    const ids = provider.modelList?.read(read);
    if (!ids) throw failed({ code: "why_no_list" });
    return [...new Set(ids)].sort();
  } catch (error) {
    const reason = upstreamFailure(error);
    throw reason === null ? error : failed(reason);
  }
}

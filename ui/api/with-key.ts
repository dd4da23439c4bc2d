import { translate } from "../i18n.ts";
import { ApiError, send } from "./client.ts";

type Refusal = Readonly<{ message?: string; success?: boolean; error?: Readonly<{ message?: string }> }>;

/**
 * Calls what answers to an API key instead of a login. The key travels in a header, so that no address holds it. Rejects
 * ApiError with what the server says.
 */
export async function callWithKey<Answer>(path: string, key: string, signal?: AbortSignal): Promise<Answer> {
  const response = await send(path, {
    credentials: "omit",
    headers: {
      Authorization: `Bearer ${key}`,
      "Cache-Control": "no-store",
      "Accept-Language": document.documentElement.lang || "en",
    },
    ...(signal && { signal }),
  });
  const requestId = response.headers.get("x-request-id");
  const answer = (await response.json().catch(() => null)) as (Answer & Refusal) | null;
  if (answer === null) throw new ApiError(translate("api.notJson"), response.status, requestId);
  if (response.ok && answer.success !== false) return answer;
  throw new ApiError(answer.error?.message ?? answer.message ?? "", response.status, requestId);
}

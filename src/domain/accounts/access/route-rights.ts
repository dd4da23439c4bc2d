import { isRight, type Resource, type Right } from "./access-rules.ts";

/** Which resource the routes under a path are about. The longest path that fits counts. */
const PATHS: Readonly<Record<string, Resource>> = {
  "/api/channel": "channels",
  "/api/channel_types": "channels",
  "/api/provider_keys": "channels",
  "/api/channel-checks": "channels",
  "/api/channel/list_prices": "models",
  "/api/channel/models_priced": "models",
  // It shows the body of a stored request.
  "/api/channel/override_preview": "logs",
  "/api/catalog": "models",
  "/api/guardrail": "models",
  "/api/mcp-server": "models",
  "/api/route": "models",
  "/api/experiments": "models",
  "/api/response_cache": "models",
  "/api/ratio": "models",
  "/api/option/rest_model_ratio": "models",
  "/api/user": "users",
  "/api/group": "users",
  "/api/log": "logs",
  "/api/live": "logs",
  "/api/data": "logs",
  "/api/log-archives": "logs",
  "/api/sessions": "logs",
  "/api/failures": "logs",
  "/api/replays": "logs",
  "/api/mj": "logs",
  "/api/task": "logs",
  "/api/topup": "billing",
  "/api/redemption": "billing",
  "/api/plan": "billing",
  "/api/subscription": "billing",
  "/api/coupon": "billing",
  "/api/payment_case": "billing",
  "/api/statements": "billing",
  "/api/agent": "billing",
  "/api/audit": "audit",
  "/api/option": "settings",
  "/api/configuration": "settings",
  "/api/announcement": "settings",
  "/api/broadcast": "settings",
  "/api/sinks": "settings",
  "/api/system": "system",
  "/api/status/test": "system",
  "/api/books": "system",
  "/api/journal": "system",
  "/api/jobs": "system",
  "/api/doctor": "system",
};

/** Routes that read, although their method says otherwise: they compute something from what is sent. */
const READS: ReadonlySet<string> = new Set([
  "POST /api/channel/call_url",
  "POST /api/channel/explain",
  "POST /api/channel/import/preview",
  "POST /api/channel/override_preview",
  "POST /api/catalog/update/preview",
  "POST /api/ratio/preview",
  "POST /api/guardrail/try",
  "POST /api/route/simulate",
  "POST /api/option/import/preview",
]);

/** Routes that start something: a test, a job, a message, a payment that is completed by hand. */
const ACTS: readonly RegExp[] = [
  /^GET \/api\/channel\/(?:test|update_balance)(?:\/:id)?$/,
  /^POST \/api\/channel\/(?:fix|fetch_models|test\/cancel|[^/]+\/keys\/test|[^/]+\/model_list\/refresh)$/,
  /^GET \/api\/channel\/fetch_models\/[^/]+$/,
  /^POST \/api\/mcp-server\/[^/]+\/tools\/try$/,
  /^(?:POST|DELETE) \/api\/catalog\/update(?:\/undo)?$/,
  /^(?:POST \/api\/(?:log\/clear|failures)|DELETE \/api\/log)$/,
  /^POST \/api\/(?:topup\/(?:complete|refund)|agent\/requests\/[^/]+|subscription\/(?:grant|end|pause)|payment_case\/close)$/,
  /^(?:POST|DELETE) \/api\/broadcast(?:\/history\/[^/]+\/resend)?$/,
  /^POST \/api\/channel-checks$/,
  /^(?:POST|DELETE) \/api\/replays\/.+$/,
  /^POST \/api\/(?:sinks\/[^/]+|log-archives)\/test$/,
  /^POST \/api\/option\/oidc_discovery$/,
  /^POST \/api\/(?:books|journal|jobs|doctor)\/.+$/,
];

/**
 * The right that a call of an administrator's route needs; null: no right opens it, only a role. `route` is the path that the
 * router matched, with the names of its parameters (`/api/channel/test/:id`): the path of a request has many spellings.
 */
export function requiredRight(requestMethod: string, route: string): Right | null {
  const address = route.length > 1 ? route.replace(/\/$/, "") : route;
  const resource = resourceOf(address);
  if (resource === null) return null;
  // The router answers HEAD with the handler of GET.
  const method = requestMethod === "HEAD" ? "GET" : requestMethod;
  const call = `${method} ${address}`;
  const verb = ACTS.some((pattern) => pattern.test(call))
    ? "act"
    : method === "GET" || READS.has(call)
      ? "read"
      : "write";
  const right = `${resource}:${verb}`;
  return isRight(right) ? right : null;
}

/** The resource of the longest listed path that is this address or leads to it. */
function resourceOf(address: string): Resource | null {
  for (let path = address; path !== ""; path = path.slice(0, path.lastIndexOf("/"))) {
    const resource = Object.hasOwn(PATHS, path) ? PATHS[path] : undefined;
    if (resource) return resource;
  }
  return null;
}

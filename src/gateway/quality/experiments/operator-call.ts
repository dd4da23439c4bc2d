import { type JsonObject, parseJson, recordOf } from "../../../formats/json.ts";
import { findCandidates } from "../../auth/authorize.ts";
import { type Call, newCall } from "../../call/call.ts";
import type { Caller } from "../../call/caller.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { CallTiming } from "../../call/progress.ts";
import type { Uses } from "../../call/services.ts";
import { parseRequest } from "../../request/parse-request.ts";

type OperatorRequest = Pick<Caller, "user" | "group" | "policies"> &
  Readonly<{
    endpoint: Endpoint;
    json: JsonObject;
    model: string;
    /** Only of formats that say so in the path. */
    isStream?: boolean;
  }>;

/** A call that no client sent, on behalf of a user, to whom its policies apply. Throws GatewayError: it is invalid. */
export function newOperatorCall(
  { services }: Uses<"channels">,
  { endpoint, json: members, model, isStream: stream = false, user, group, policies }: OperatorRequest,
): Call {
  const text = JSON.stringify(members);
  // Without members that are undefined, as a client sends it.
  const json = recordOf(parseJson(text)) ?? {};
  const body = { text, size: Buffer.byteLength(text), json };
  const request = new Request("http://localhost/", { method: "POST" });
  const caller: Caller = {
    user,
    token: null,
    tokenName: "",
    group,
    pinnedChannelId: null,
    policies,
  };
  const timing = new CallTiming(performance.now());
  const parsed = parseRequest(
    {
      ...{
        request,
        server: null,
        endpoint,
        signedIn: { caller, timing, body, changes: {} },
      },
      ...(endpoint.codec.dialect === "gemini" && { path: { model, stream } }),
    },
    body,
  );
  const candidates = findCandidates(services, caller, model);
  return newCall({ request, endpoint, caller, ip: "", candidates }, parsed, timing);
}

import type { ReplayTarget } from "../../../../db/schema/models/replays.ts";
import type { Prepared, ReplayCall, Replayer, ReplayResult } from "../../../domain/models/replays/replayer.ts";
import { type JsonObject, parseJson, recordOf, recordsOf } from "../../../formats/json.ts";
import { sayReason } from "../../../lib/reason.ts";
import { noRoute } from "../../auth/authorize.ts";
import type { Call } from "../../call/call.ts";
import type { Caller } from "../../call/caller.ts";
import type { Endpoint } from "../../call/endpoint.ts";
import { GatewayError } from "../../call/errors.ts";
import type { RouteTarget } from "../../call/route.ts";
import type { CallTools, Uses } from "../../call/services.ts";
import { generateContent, messages, responses } from "../../request/endpoints/conversations.ts";
import { chatCompletions } from "../../request/endpoints/text.ts";
import { findRoute } from "../../routing/model-fallbacks.ts";
import type { PlanContext } from "../../routing/routes/plan.ts";
import { planRoute } from "../../routing/routes/plan.ts";
import { matchingChannels } from "../../routing/routes/rank.ts";
import { isRepeatable } from "./is-repeatable.ts";
import { askJudge, judgeCall } from "./judge.ts";
import { newOperatorCall } from "./operator-call.ts";
import type { RunUnchargedContext } from "./run-uncharged.ts";
import { copyCall, runUncharged, type UnchargedCall, upperListCost } from "./run-uncharged.ts";

/** What these functions work with. */
export type ReplayContext = RunUnchargedContext & PlanContext & Uses<"policies" | "tokens" | "users">;

const ENDPOINTS: ReadonlyMap<string, Endpoint> = new Map(
  [chatCompletions, responses, messages, generateContent].map((endpoint) => [endpoint.codec.dialect, endpoint]),
);

/** Sends stored requests again, uncharged. The policies of the organization that sent one still apply. */
export const createReplayer = (context: ReplayContext): Replayer => ({
  isRepeatable: (json) => isRepeatable({ body: { json: { ...json } } }),
  prepare: (call, target) =>
    orReason(() => targetsOf(context, call, target).map((each): Prepared<ReplayResult> => prepared(context, each))),
  prepareJudge: (call, judge, responses, swapped) =>
    orReason(() => {
      const prompt = newOperatorCall(context, requestOf(context, call, {})).prompt;
      const question = judgeCall(context, callerOf(context, call), judge, { prompt, ...responses }, swapped);
      return {
        upperCost: upperListCost(context, question),
        async run() {
          const { cost, verdict } = await askJudge(context, question, swapped);
          return {
            cost,
            verdict: verdict?.verdict ?? null,
            reason: verdict?.reason ?? "",
          };
        },
      };
    }),
});

function orReason<Result>(prepare: () => Result): Result | string {
  try {
    return prepare();
  } catch (error) {
    if (error instanceof GatewayError) return sayReason(error.reason, "en");
    throw error;
  }
}

const prepared = (context: ReplayContext, call: UnchargedCall): Prepared<ReplayResult> => ({
  upperCost: upperListCost(context, call),
  async run() {
    const { usage, ...result } = await runUncharged(context, call);
    const { promptTokens, cachedTokens, completionTokens } = usage;
    return { ...result, promptTokens, cachedTokens, completionTokens };
  },
});

/** The calls for a model, or for those of a route in its order, without its experiment. Throws GatewayError. */
function targetsOf(context: ReplayContext, stored: ReplayCall, target: ReplayTarget): readonly UnchargedCall[] {
  const call = newOperatorCall(context, requestOf(context, stored, target));
  const route = findRoute(context, call);
  const targets = route
    ? planRoute(context, call, {
        ...route,
        experiment: null,
        hedge: null,
        queue: null,
      }).targets
    : [modelTarget(context, call, target.channel_tags)];
  return targets.map((each) => copyCall(context, call, each));
}

function modelTarget(
  context: Uses<"channels"> & Pick<CallTools, "catalog">,
  call: Call,
  tags: readonly string[] | undefined,
): RouteTarget {
  const { summary, caller, candidates: all } = call;
  const { model } = summary;
  const tagged = tags && tags.length > 0 ? matchingChannels(all, { channelTags: new Set(tags), regions: null }) : all;
  if (tagged.tiers.length === 0) throw noRoute(context, caller, model);
  return { model, candidates: tagged };
}

function requestOf(context: Uses<"policies" | "tokens" | "users">, call: ReplayCall, target: ReplayTarget) {
  const endpoint = ENDPOINTS.get(call.format);
  const json = recordOf(parseJson(call.body));
  if (!endpoint || !json) throw new GatewayError(400, "invalid_request", "the stored request cannot be read");
  const { model = call.model, group = call.group, system_prompt: system } = target;
  const prompted = system === undefined ? json : withSystemPrompt(call.format, json, system);
  const isGemini = call.format === "gemini";
  return {
    ...callerOf(context, call),
    ...{ endpoint, group, model, isStream: call.isStream },
    json: isGemini ? prompted : { ...prompted, model, models: undefined, route: undefined },
  };
}

function callerOf(
  { services }: Uses<"policies" | "tokens" | "users">,
  { userId, tokenId }: ReplayCall,
): Pick<Caller, "user" | "policies"> {
  const user = services.users.get(userId);
  if (!user) throw new GatewayError(404, "user_not_found", "the user of the request no longer exists");
  return {
    user,
    policies: services.policies?.of(services.tokens.get(tokenId) ?? { userId, projectId: 0 }),
  };
}

/** The request with another system prompt, or with none. */
function withSystemPrompt(format: string, body: JsonObject, system: string): JsonObject {
  const own = system === "" ? undefined : system;
  switch (format) {
    case "anthropic":
      return { ...body, system: own };
    case "openai-responses":
      return { ...body, instructions: own, input: withoutSystem(body.input) };
    case "gemini":
      return {
        ...body,
        system_instruction: undefined,
        systemInstruction: own && { parts: [{ text: own }] },
      };
    default: {
      const others = recordsOf(withoutSystem(body.messages));
      return {
        ...body,
        messages: own ? [{ role: "system", content: own }, ...others] : others,
      };
    }
  }
}

const withoutSystem = (messages: unknown): unknown =>
  Array.isArray(messages)
    ? messages.filter((each) => !["system", "developer"].includes(String(recordOf(each)?.role)))
    : messages;

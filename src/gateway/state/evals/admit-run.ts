import { estimate } from "../../../billing/pricing/charge.ts";
import { countOf, type JsonObject, recordOf, recordsOf, textOf } from "../../../formats/json.ts";
import { boundPrompt } from "../../../formats/openai-chat/request/summary.ts";
import { noRules } from "../../../formats/request-rules.ts";
import { authorizeModel } from "../../auth/authorize.ts";
import { refusePrice } from "../../auth/policies.ts";
import type { Caller } from "../../call/caller.ts";
import { refuseForbidden, refuseUnseen } from "../../call/guardrails/request/refuse-forbidden.ts";
import type { Hold, Uses } from "../../call/services.ts";
import type { Pricing } from "../../money/price.ts";
import { reserveAmount } from "../../money/reserve.ts";
import { checkRequest, invalidRequest } from "../../request/client-body.ts";
import { textsOf } from "../../request/order-texts.ts";
import { jsonLines } from "../files/json-lines.ts";
import { pathOf } from "../files/read-objects.ts";
import type { SendContext } from "../objects/request-upstream.ts";
import { ownerOf, requestUpstream } from "../objects/request-upstream.ts";
import type { StoredObject } from "../objects/store.ts";
import { findOwners, hasSameOwner, objectsApart } from "../references/may-refer.ts";
import type { UsesStores } from "../stores.ts";

/** What these functions work with. */
export type AdmitRunContext = SendContext &
  Uses<"billing" | "channels" | "log" | "renewOrganizationBudgets"> &
  UsesStores<"objects" | "responses"> &
  Pricing;

/** What a run calls a model for, once for each item. */
type GradedOrSampled = Readonly<{
  model: string;
  template: JsonObject;
  /** Tokens of the prompt besides the template and the item. */
  extraTokens: number;
  maxOutputTokens: number | null;
}>;

/** Kinds of data sources whose items the request itself names: in its body or in a file of the user. */
const SOURCE_TYPES: ReadonlySet<unknown> = new Set(["jsonl", "completions", "responses"]);

/** A run that may begin: what is held for it, and the models that it may use. */
export type AdmittedRun = Readonly<{ hold: Hold; models: readonly string[] }>;

/**
 * Admits a run of an eval: its data must be in the request or in a file of the caller, every model that it samples or grades
 * with must be allowed to the caller, served by the eval's channel and priced, and the balance must cover the most that all
 * items can cost, which is then held. Rejects GatewayError.
 */
export async function admitRun(
  context: AdmitRunContext,
  caller: Caller,
  evaluation: StoredObject,
  run: JsonObject,
): Promise<AdmittedRun> {
  const source = recordOf(run.data_source) ?? {};
  if (!SOURCE_TYPES.has(source.type)) throw unsupportedSource();
  const params = recordOf(source.sampling_params) ?? {};
  if (recordsOf(params.tools).some(({ type }) => type !== "function")) {
    throw invalidRequest({ code: "gateway_eval_tools" }, "data_source.sampling_params.tools");
  }
  const prompt = { input: textsOf([source]) };
  refuseForbidden(context, caller, textOf(source.model), prompt);
  const sampledModel = textOf(source.model);
  if (sampledModel !== null) refuseUnseen(context, caller, sampledModel);

  const sampled = textOf(source.model);
  const maxOutputTokens = countOf(params.max_completion_tokens) ?? countOf(params.max_completions_tokens);
  const calls: GradedOrSampled[] = gradersOf(evaluation).map((grader) => ({
    model: String(grader.model),
    template: grader,
    // Graders read the sampled text, too.
    extraTokens: sampled ? (maxOutputTokens ?? defaultOutputOf(context)) : 0,
    maxOutputTokens: countOf(recordOf(grader.sampling_params)?.max_completions_tokens),
  }));
  if (sampled)
    calls.push({ model: sampled, template: recordOf(source.input_messages) ?? {}, extraTokens: 0, maxOutputTokens });

  let amount = 0;
  const items = await sizesOf(context, caller, evaluation, recordOf(source.source) ?? {});
  for (const call of calls) {
    authorizeModel(caller, call.model);
    refuseUnserved(context, caller, evaluation, call.model);
    const price = context.prices.of(caller, call.model, call.model);
    const template = JSON.stringify(call.template);
    const fixedTokens = boundPrompt({ template: call.template }, template.length).promptBound + call.extraTokens;
    // An item stands once for each variable at most.
    const variables = Math.max(1, template.split("{{").length - 1);
    const defaultOutputTokens = defaultOutputOf(context);
    for (const itemTokens of items) {
      const promptTokens = fixedTokens + itemTokens * variables;
      const expected = { promptTokens, maxOutputTokens: call.maxOutputTokens, defaultOutputTokens };
      const cost = estimate(price, expected, context.prices.quotaPerUnit());
      if (caller.policies) refusePrice(caller.policies, cost);
      amount += cost;
    }
  }
  const models = [...new Set(calls.map(({ model }) => model))];
  return { hold: await reserveAmount(context.services, caller, amount), models };
}

/** Refuses an eval whose data is what the provider's account has stored, whoever made it. */
export function refuseForeignData({ data_source_config: config }: JsonObject): void {
  if (recordOf(config)?.type !== "custom") throw unsupportedSource("data_source_config");
}

const unsupportedSource = (field = "data_source") => invalidRequest({ code: "gateway_eval_source" }, field);

const defaultOutputOf = ({ services }: Uses<"settings">): number => services.settings.values.PreConsumedQuota;

/** The eval's graders that call a model. Source: https://developers.openai.com/api/docs/guides/graders */
const gradersOf = ({ body }: StoredObject): JsonObject[] =>
  recordsOf(body.testing_criteria).filter(({ model }) => textOf(model));

function refuseUnserved(
  { services }: Uses<"channels">,
  caller: Caller,
  { id, channelId }: StoredObject,
  model: string,
): void {
  const tiers = services.channels.candidates(caller.group, model)?.tiers ?? [];
  if (tiers.some(({ channels }) => channels.some((channel) => channel.id === channelId))) return;
  throw invalidRequest({ code: "gateway_object_model", params: { id, model } }, "data_source");
}

/** The upper bound of each item's tokens. */
async function sizesOf(
  context: AdmitRunContext,
  caller: Caller,
  evaluation: StoredObject,
  source: JsonObject,
): Promise<number[]> {
  const sizeOf = (item: JsonObject) => boundPrompt(item, JSON.stringify(item).length).promptBound;
  if (source.type === "file_content") return recordsOf(source.content).map(sizeOf);
  const id = textOf(source.id);
  if (source.type !== "file_id" || !id) throw unsupportedSource("data_source.source");
  const { files: file } = await findOwners(
    context,
    caller,
    { files: new Set([id]), objects: new Set(), parts: new Set() },
    true,
  );
  if (!file) throw unsupportedSource("data_source.source");
  if (!hasSameOwner(file, evaluation)) throw objectsApart();
  const ask = { method: "GET", path: `${pathOf(file)}/content` } as const;
  const sizes: number[] = [];
  for await (const item of jsonLines(await requestUpstream(context, ownerOf(context, file), ask), checkItem)) {
    refuseForbidden(context, caller, null, item);
    sizes.push(sizeOf(item));
  }
  return sizes;
}

function checkItem(line: string, item: JsonObject | null): void {
  if (!item) throw invalidRequest({ code: "gateway_eval_item" }, "data_source.source");
  checkRequest(line, item, noRules);
}

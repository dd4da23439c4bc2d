import { estimate } from "../../../billing/pricing/charge.ts";
import { inTiers } from "../../../billing/pricing/service-tiers.ts";
import { countOf, type JsonObject, recordOf, textOf } from "../../../formats/json.ts";
import { openaiRules } from "../../../formats/openai-chat/request/request-rules.ts";
import { boundPrompt, summarize } from "../../../formats/openai-chat/request/summary.ts";
import { responsesRules } from "../../../formats/openai-responses/request/request-rules.ts";
import { integer, noRules, type RequestRules, requestMembers } from "../../../formats/request-rules.ts";
import { requestsProviderTools } from "../../../formats/tools/provider-tools.ts";
import { nowSeconds } from "../../../lib/clock.ts";
import { authorizeModel } from "../../auth/authorize.ts";
import { refusePrice } from "../../auth/policies.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import { refuseForbidden, refuseUnseen } from "../../call/guardrails/request/refuse-forbidden.ts";
import type { Hold, Uses } from "../../call/services.ts";
import type { Pricing } from "../../money/price.ts";
import { reserveAmount } from "../../money/reserve.ts";
import { checkRequest, invalidRequest } from "../../request/client-body.ts";
import { ownerOf, requestUpstream, type SendContext } from "../objects/request-upstream.ts";
import type { StoredObject } from "../objects/store.ts";
import { findReferences } from "../provider-state.ts";
import { refuseForeign, unknownObject } from "../references/may-refer.ts";
import type { UsesStores } from "../stores.ts";
import { jsonLines } from "./json-lines.ts";
import { pathOf } from "./read-objects.ts";
import { BATCH_TIER, trainingOf } from "./settle-object.ts";

/** What these functions work with. */
export type AdmitJobContext = SendContext &
  Uses<"billing" | "channels" | "log" | "renewOrganizationBudgets"> &
  UsesStores<"objects" | "responses"> &
  Pricing;

/** The number of epochs if the client sets none. */
const DEFAULT_EPOCHS = 3;
const MIN_EXAMPLES = 100;
const MAX_EXAMPLES = 25_000;
const MAX_EPOCHS = 25;

/**
 * Reads the examples of a fine-tuning job before it begins. The model must be allowed to the caller and its training
 * priced, and the balance must cover all tokens in all epochs, which is then held. Resolves with the hold. Rejects
 * GatewayError.
 */
export async function admitJob(
  context: AdmitJobContext,
  caller: Caller,
  job: JsonObject,
  training: StoredObject,
): Promise<Hold> {
  checkRequest(null, job, jobRules);
  const model = textOf(job.model) ?? "";
  const method = recordOf(job.method);
  if (method?.type === "reinforcement") {
    throw invalidRequest({ code: "gateway_reinforcement" }, "method");
  }
  authorizeModel(caller, model);
  const price = context.prices.of(caller, trainingOf(model), trainingOf(model));
  const ask = { method: "GET", path: `${pathOf(training)}/content` } as const;
  let tokens = 0;
  let examples = 0;
  for await (const example of jsonLines(
    await requestUpstream(context, ownerOf(context, training), ask),
    checkExample,
  )) {
    tokens += boundPrompt(example, JSON.stringify(example).length).promptBound;
    examples += 1;
  }
  if (examples === 0) throw invalidRequest({ code: "gateway_training_empty" }, "training_file");
  const promptTokens = tokens * (epochsOf(job) ?? defaultEpochs(examples));
  const expected = { promptTokens, maxOutputTokens: 0, defaultOutputTokens: 0 };
  const cost = estimate(price, expected, context.prices.quotaPerUnit());
  if (caller.policies) refusePrice(caller.policies, cost);
  return reserveAmount(context.services, caller, cost);
}

/** The number of epochs that the client sets; null if none. */
function epochsOf(job: JsonObject): number | null {
  const method = recordOf(job.method);
  const places = [job, recordOf(method?.supervised), recordOf(method?.dpo)];
  const counts = places.flatMap((place) => countOf(recordOf(place?.hyperparameters)?.n_epochs) ?? []);
  return counts.length > 0 ? Math.max(...counts) : null;
}

const epochs = (path: string) => integer(path, 1, 50, "auto");
const jobRules: RequestRules = {
  ...noRules,
  numbers: [
    epochs("hyperparameters.n_epochs"),
    epochs("method.supervised.hyperparameters.n_epochs"),
    epochs("method.dpo.hyperparameters.n_epochs"),
  ],
};

function defaultEpochs(examples: number): number {
  if (examples * DEFAULT_EPOCHS < MIN_EXAMPLES) return Math.min(MAX_EPOCHS, Math.ceil(MIN_EXAMPLES / examples));
  return examples * DEFAULT_EPOCHS > MAX_EXAMPLES ? Math.max(1, Math.ceil(MAX_EXAMPLES / examples)) : DEFAULT_EPOCHS;
}

/** Rejects examples that cannot be read, because they cannot be priced. */
function checkExample(line: string, example: JsonObject | null): void {
  if (!example) throw invalidRequest({ code: "gateway_training_no_object" }, "training_file");
  checkRequest(line, example, noRules);
}

/**
 * Reads the calls of a batch before it begins. Each model must be allowed to the caller, served to its group and
 * priced, and the balance must cover the most that all calls can cost, which is then held. Resolves with the hold.
 * Rejects GatewayError.
 */
export async function admitBatch(context: AdmitJobContext, caller: Caller, input: StoredObject): Promise<Hold> {
  const { prices, services } = context;
  const file = await requestUpstream(context, ownerOf(context, input), {
    method: "GET",
    path: `${pathOf(input)}/content`,
  });
  const defaultOutputTokens = services.settings.values.PreConsumedQuota;
  let amount = 0;
  let calls = 0;
  for await (const line of jsonLines(file, checkLine)) {
    const body = recordOf(line.body);
    const model = textOf(body?.model) ?? "";
    if (!body || model === "") throw invalidRequest({ code: "gateway_batch_no_model" }, "input_file_id");
    await refuseForeignIn(context, caller, body);
    authorizeModel(caller, model);
    refuseForbidden(context, caller, model, body);
    refuseUnseen(context, caller, model);
    if (caller.pinnedChannelId === null && !services.channels.candidates(caller.group, model)) {
      throw invalidRequest({ code: "gateway_batch_model", params: { model, group: caller.group } }, "input_file_id");
    }
    const price = prices.of(caller, model, model);
    const { choices, ...summary } = summarize(body);
    const limit = summary.maxOutputTokens ?? countOf(body.max_output_tokens);
    const maxOutputTokens = limit === null ? null : limit * choices;
    const { promptBound: promptTokens } = boundPrompt(body, JSON.stringify(body).length);
    const cost = estimate(
      inTiers(price, BATCH_TIER),
      { promptTokens, maxOutputTokens, defaultOutputTokens: defaultOutputTokens * choices },
      prices.quotaPerUnit(),
    );
    if (caller.policies) refusePrice(caller.policies, cost);
    amount += cost > 0 || !requestsProviderTools(body) ? cost : 1;
    calls += 1;
  }
  if (calls === 0) throw invalidRequest({ code: "gateway_batch_empty" }, "input_file_id");
  return reserveAmount(services, caller, amount);
}

/** The upstream resolves what a line refers to, so it must be the caller's. Rejects GatewayError. */
async function refuseForeignIn(
  context: UsesStores<"objects" | "responses">,
  caller: Caller,
  body: JsonObject,
): Promise<void> {
  const references = findReferences([body], lineRules);
  if (references) await refuseForeign(context, caller, references);
  const previous = textOf(body.previous_response_id);
  if (!previous) return;
  const stored = await context.services.responses.find(previous, caller.user.id, nowSeconds());
  if (!stored?.isNative) throw unknownObject(previous);
}

const names = (isFree: boolean): string =>
  [openaiRules, responsesRules]
    .flatMap(({ members }) => [...members.isFreeByName].filter(([, free]) => free === isFree))
    .map(([name]) => name)
    .join(" ");

/** A line of a batch is a request in one of OpenAI's formats. */
const lineRules: RequestRules = {
  members: requestMembers(names(false), { free: names(true) }),
  numbers: [],
  switches: [],
};

/** Throws GatewayError for a line that the upstream may parse differently than this gateway. */
function checkLine(line: string, object: JsonObject | null): void {
  const body = recordOf(object?.body);
  try {
    if (!object || !body) throw invalidRequest({ code: "gateway_batch_no_body" });
    checkRequest(line, object, lineRules);
    checkRequest(null, body, textOf(object.url)?.endsWith("/responses") ? responsesRules : openaiRules);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    throw invalidRequest(
      { code: "gateway_batch_line", params: { reason: error.message, id: textOf(object?.custom_id) ?? "none" } },
      "input_file_id",
    );
  }
}

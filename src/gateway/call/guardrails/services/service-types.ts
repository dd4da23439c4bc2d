import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../../../formats/json.ts";
import { modelArmor } from "./model-armor.ts";
import {
  bearer,
  NOTHING,
  nameOf,
  once,
  type ServiceSpan,
  type ServiceType,
  type ServiceVerdict,
  textsOf,
  withKey,
} from "./service-type.ts";

/** Any address: the product's own form. */
const webhook: ServiceType = {
  isSigned: true,
  request: ({ url }, { texts, ...about }) => ({
    url,
    headers: {},
    body: {
      type: "guardrail.check",
      timestamp: new Date().toISOString(),
      data: { guardrail: about.guardrail, phase: about.phase, model: about.model, request_id: about.requestId, texts },
    },
  }),
  read(answer) {
    const verdict = textOf(answer?.verdict);
    if (verdict === "pass") return NOTHING;
    if (verdict === "block") return { found: once(textOf(answer?.reason) ?? "blocked") };
    const texts = textsOf(answer?.texts);
    return verdict === "mask" && texts ? { found: once(textOf(answer?.reason) ?? "masked"), texts } : null;
  },
};

/** https://docs.litellm.ai/docs/adding_provider/generic_guardrail_api */
const litellm: ServiceType = {
  request: ({ url }, { texts, phase, requestId, model }, key) => ({
    url,
    headers: withKey("x-api-key", key),
    body: {
      ...{ texts, images: [], tools: [], structured_messages: [], request_data: {} },
      input_type: phase === "request" ? "request" : "response",
      ...{ litellm_call_id: requestId, litellm_trace_id: requestId, model },
      additional_provider_specific_params: {},
    },
  }),
  read(answer) {
    const texts = textsOf(answer?.texts);
    switch (answer?.action) {
      case "NONE":
        return NOTHING;
      case "BLOCKED":
        return { found: once(textOf(answer.blocked_reason) ?? "blocked") };
      case "GUARDRAIL_INTERVENED":
        return texts ? { found: once("intervened"), texts } : null;
      default:
        return null;
    }
  },
};

/** https://portkey.ai/docs/integrations/guardrails/bring-your-own-guardrails */
const portkey: ServiceType = {
  request: ({ url }, { texts, phase, model, requestId }, key) => {
    const text = texts.join("\n");
    const isRequest = phase === "request";
    const request = { json: { model, messages: [{ role: "user", content: text }] }, text, isStreamingRequest: false };
    const response = { json: { choices: [{ message: { role: "assistant", content: text } }] }, text, statusCode: 200 };
    return {
      url,
      headers: bearer(key),
      body: {
        request: isRequest ? request : { json: { model }, text: "", isStreamingRequest: false },
        response: isRequest ? { json: {}, text: "", statusCode: null } : response,
        ...{ provider: "sluice", requestType: "chatComplete", metadata: { request_id: requestId } },
        eventType: isRequest ? "beforeRequestHook" : "afterRequestHook",
      },
    };
  },
  read: (answer) =>
    typeof answer?.verdict === "boolean" ? (answer.verdict ? NOTHING : { found: once("rejected") }) : null,
};

/** https://platform.openai.com/docs/api-reference/moderations */
const openai: ServiceType = {
  request: ({ url, id }, { texts }, key) => ({
    url,
    headers: bearer(key),
    body: { model: id || "omni-moderation-latest", input: texts },
  }),
  read(answer, _list, { thresholdPercent }) {
    if (!Array.isArray(answer?.results)) return null;
    const found: Record<string, number> = {};
    for (const result of recordsOf(answer.results)) {
      for (const [category, score] of Object.entries(recordOf(result.category_scores) ?? {})) {
        if ((numberOf(score) ?? 0) * 100 < thresholdPercent) continue;
        found[nameOf(category)] = (found[nameOf(category)] ?? 0) + 1;
      }
    }
    return { found };
  },
};

/** Azure's severities go from 0 to 6 in steps of two. */
const MOST_SEVERE = 6;

/** https://learn.microsoft.com/azure/ai-services/content-safety/quickstart-text */
const azure: ServiceType = {
  isSingle: true,
  request: ({ url }, { texts }, key) => ({
    url: url.includes("api-version=") ? url : `${url}${url.includes("?") ? "&" : "?"}api-version=2024-09-01`,
    headers: { "ocp-apim-subscription-key": key },
    body: { text: texts.join("\n"), outputType: "FourSeverityLevels" },
  }),
  read(answer, _list, { thresholdPercent }) {
    if (!Array.isArray(answer?.categoriesAnalysis)) return null;
    const found: Record<string, number> = {};
    for (const { category, severity } of recordsOf(answer.categoriesAnalysis)) {
      const percent = ((numberOf(severity) ?? 0) / MOST_SEVERE) * 100;
      if (percent > 0 && percent >= thresholdPercent) found[nameOf(textOf(category) ?? "")] = 1;
    }
    return { found };
  },
};

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html, with an API key of Bedrock. */
const bedrock: ServiceType = {
  request: ({ url, id, version }, { texts, phase }, key) => ({
    url: `${url.replace(/\/$/, "")}/guardrail/${encodeURIComponent(id)}/version/${encodeURIComponent(version || "DRAFT")}/apply`,
    headers: bearer(key),
    body: {
      source: phase === "request" ? "INPUT" : "OUTPUT",
      content: texts.map((text) => ({ text: { text } })),
    },
  }),
  read(answer) {
    if (answer?.action === "NONE") return NOTHING;
    if (answer?.action !== "GUARDRAIL_INTERVENED") return null;
    return { found: once("intervened"), ...anonymized(answer) };
  },
};

/** The outputs of a guardrail that only masked, one for each text. */
function anonymized({ outputs, assessments }: JsonObject): Pick<ServiceVerdict, "texts"> {
  const blocks = JSON.stringify(assessments ?? []).includes('"BLOCKED"');
  const texts = textsOf(recordsOf(outputs).map(({ text }) => text));
  return blocks || !texts || texts.length === 0 ? {} : { texts };
}

/** https://microsoft.github.io/presidio/api-docs/api-docs.html */
const presidio: ServiceType = {
  isSingle: true,
  request: ({ url, language, thresholdPercent }, { texts }, key) => ({
    url: /\/analyze\/?$/.test(url) ? url : `${url.replace(/\/$/, "")}/analyze`,
    headers: bearer(key),
    body: { text: texts[0] ?? "", language: language || "en", score_threshold: thresholdPercent / 100 },
  }),
  read(_answer, list) {
    if (!list) return null;
    const found: Record<string, number> = {};
    const spans = recordsOf(list).flatMap(({ entity_type: type, start, end }): ServiceSpan[] => {
      const [from, until] = [numberOf(start), numberOf(end)];
      if (from === null || until === null || until <= from) return [];
      const name = nameOf(textOf(type) ?? "");
      found[name] = (found[name] ?? 0) + 1;
      return [{ text: 0, start: from, end: until, type: name }];
    });
    return { found, spans };
  },
};

/** https://docs.lakera.ai/docs/api/guard */
const lakera: ServiceType = {
  request: ({ url, id }, { texts, phase }, key) => ({
    url,
    headers: bearer(key),
    body: {
      messages: texts.map((content) => ({ role: phase === "request" ? "user" : "assistant", content })),
      breakdown: true,
      ...(id !== "" && { project_id: id }),
    },
  }),
  read(answer) {
    if (typeof answer?.flagged !== "boolean") return null;
    if (!answer.flagged) return NOTHING;
    const detected = recordsOf(answer.breakdown).filter((one) => one.detected === true);
    const names = detected.map(({ detector_type: type }) => nameOf(textOf(type) ?? ""));
    return { found: names.length > 0 ? Object.fromEntries(names.map((name) => [name, 1])) : once("flagged") };
  },
};

/** The services by the name that a guardrail's definition has for them. */
export const SERVICE_TYPES: ReadonlyMap<string, ServiceType> = new Map(
  Object.entries({ webhook, litellm, portkey, openai, azure, bedrock, presidio, lakera, model_armor: modelArmor }),
);

import type {
  GuardrailAction,
  GuardrailKind,
  GuardrailPhase,
  PersonalKind,
} from "../../../../src/settings/option/guardrails.ts";
import { checkJsonObject } from "../../../components/inputs/json-text.ts";
import type { GuardrailDefinition, GuardrailView } from "./guardrail-calls.ts";

/** The server has the same lists. */
export const KINDS = [
  ...(["personal_data", "secrets", "words", "patterns", "injection"] as const),
  ...(["language", "size", "tools", "json", "service"] as const),
] satisfies readonly GuardrailKind[];
const ACTIONS = ["block", "mask", "route", "flag"] as const satisfies readonly GuardrailAction[];
export const PHASES = ["request", "answer"] as const satisfies readonly GuardrailPhase[];
export const PERSONAL = [
  "email",
  "phone",
  "card",
  "iban",
  "national_id",
  "ip",
] as const satisfies readonly PersonalKind[];
export const SERVICES = [
  ...(["webhook", "litellm", "portkey", "openai"] as const),
  ...(["azure", "bedrock", "model_armor", "presidio", "lakera"] as const),
] satisfies readonly NonNullable<GuardrailDefinition["service"]>[];

/** Kinds that mask nothing: they decide about all of a request or answer. */
const COMPLETE: ReadonlySet<GuardrailKind> = new Set(["injection", "language", "size", "tools", "json"]);

export type GuardrailForm = {
  name: string;
  description: string;
  isEnabled: boolean;
  isShadow: boolean;
  kind: GuardrailKind;
  action: GuardrailAction;
  phases: readonly GuardrailPhase[];
  /** One a line. */
  words: string;
  patterns: string;
  personal: readonly PersonalKind[];
  restores: boolean;
  languages: readonly string[];
  maxCharacters: string;
  tools: readonly string[];
  /** JSON; empty: any JSON is right. */
  schema: string;
  refusal: "error" | "answer";
  routeTo: string;
  service: (typeof SERVICES)[number];
  url: string;
  key: string;
  timeout: string;
  onFailure: "open" | "closed";
  threshold: string;
  serviceId: string;
  serviceVersion: string;
  language: string;
  groups: readonly string[];
  accounts: readonly string[];
  projects: readonly string[];
  keys: readonly string[];
  models: readonly string[];
  mcpServers: readonly string[];
};

const [DEFAULT_TIMEOUT, DEFAULT_THRESHOLD] = ["2000", "50"];

/** The form of a guardrail; null: a new one. */
export const formOf = (guardrail: GuardrailView | null): GuardrailForm => ({
  name: guardrail?.name ?? "",
  description: guardrail?.description ?? "",
  isEnabled: guardrail?.enabled ?? true,
  isShadow: guardrail ? (guardrail.shadow ?? false) : true,
  kind: KINDS.find((kind) => kind === guardrail?.kind) ?? "personal_data",
  action: guardrail ? (guardrail.action ?? "block") : "mask",
  phases: guardrail?.phases?.length ? guardrail.phases : PHASES,
  words: guardrail?.words?.join("\n") ?? "",
  patterns: guardrail?.patterns?.join("\n") ?? "",
  personal: guardrail?.personal?.length ? guardrail.personal : PERSONAL,
  restores: guardrail?.restore ?? guardrail?.kind !== "secrets",
  languages: guardrail?.languages ?? [],
  maxCharacters: String(guardrail?.max_characters ?? ""),
  tools: guardrail?.tools ?? [],
  schema: guardrail?.schema ? JSON.stringify(guardrail.schema, null, 2) : "",
  refusal: guardrail?.refusal ?? "error",
  routeTo: guardrail?.route_to ?? "",
  service: SERVICES.find((service) => service === guardrail?.service) ?? "webhook",
  url: guardrail?.url ?? "",
  key: "",
  timeout: String(guardrail?.timeout_ms ?? DEFAULT_TIMEOUT),
  onFailure: guardrail?.on_failure ?? "closed",
  threshold: String(guardrail?.threshold_percent ?? DEFAULT_THRESHOLD),
  serviceId: guardrail?.service_id ?? "",
  serviceVersion: guardrail?.service_version ?? "",
  language: guardrail?.language ?? "",
  groups: guardrail?.groups ?? [],
  accounts: guardrail?.accounts?.map(String) ?? [],
  projects: guardrail?.projects?.map(String) ?? [],
  keys: guardrail?.keys?.map(String) ?? [],
  models: guardrail?.models ?? [],
  mcpServers: guardrail?.mcp_servers ?? [],
});

const linesOf = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** The actions that a kind has. */
export const actionsOf = (kind: GuardrailKind): readonly GuardrailAction[] =>
  COMPLETE.has(kind) ? ACTIONS.filter((action) => action !== "mask") : ACTIONS;

/** The definition to save, without what is at its default. */
export const definitionOfForm = (form: GuardrailForm): GuardrailDefinition => {
  const { kind, action } = form;
  const masks = action === "mask" && kind !== "words" && kind !== "patterns";
  return {
    ...(form.description.trim() && { description: form.description.trim() }),
    ...(!form.isEnabled && { enabled: false }),
    ...(form.isShadow && { shadow: true }),
    kind,
    action,
    ...(form.phases.length === 1 && { phases: form.phases }),
    ...(kind === "words" && { words: linesOf(form.words) }),
    ...(kind === "patterns" && { patterns: linesOf(form.patterns) }),
    ...(kind === "personal_data" && form.personal.length < PERSONAL.length && { personal: form.personal }),
    ...((masks || action === "mask") && form.restores !== (kind !== "secrets") && { restore: form.restores }),
    ...(kind === "language" && { languages: form.languages }),
    ...(kind === "size" && { max_characters: Number(form.maxCharacters) }),
    ...(kind === "tools" && { tools: form.tools }),
    ...(kind === "json" && form.schema.trim() && { schema: JSON.parse(form.schema) }),
    ...(action === "block" && form.refusal === "answer" && { refusal: "answer" }),
    ...(action === "route" && { route_to: form.routeTo.trim() }),
    ...(kind === "service" && serviceOf(form)),
    ...(form.groups.length > 0 && { groups: form.groups }),
    ...(form.accounts.length > 0 && { accounts: form.accounts.map(Number) }),
    ...(form.projects.length > 0 && { projects: form.projects.map(Number) }),
    ...(form.keys.length > 0 && { keys: form.keys.map(Number) }),
    ...(form.models.length > 0 && { models: form.models }),
    ...(form.mcpServers.length > 0 && { mcp_servers: form.mcpServers }),
  };
};

const serviceOf = (form: GuardrailForm): GuardrailDefinition => ({
  service: form.service,
  url: form.url.trim(),
  ...(form.timeout !== DEFAULT_TIMEOUT && { timeout_ms: Number(form.timeout) }),
  ...(form.onFailure === "open" && { on_failure: "open" }),
  ...(form.threshold !== DEFAULT_THRESHOLD && { threshold_percent: Number(form.threshold) }),
  ...(form.serviceId.trim() && { service_id: form.serviceId.trim() }),
  ...(form.serviceVersion.trim() && { service_version: form.serviceVersion.trim() }),
  ...(form.language.trim() && { language: form.language.trim() }),
});

const isCount = (text: string, min: number, max: number): boolean =>
  /^\d+$/.test(text) && Number(text) >= min && Number(text) <= max;
const areIds = (list: readonly string[]): boolean => list.every((id) => isCount(id, 1, 2 ** 31 - 1));

/** What is wrong with the form, by field; `taken`: the names of other guardrails. */
export function checkGuardrailForm(form: GuardrailForm, taken: readonly string[]) {
  const { kind, action } = form;
  const name = form.name.trim();
  const faultIf = <const Fault extends string>(isWrong: boolean, fault: Fault) => (isWrong ? fault : undefined);
  const isService = kind === "service";
  return {
    name: taken.includes(name)
      ? ("taken" as const)
      : faultIf(name === "" || name.length > 60 || name.includes(","), "name"),
    phases: faultIf(form.phases.length === 0, "phases"),
    words: faultIf(kind === "words" && linesOf(form.words).length === 0, "needed"),
    patterns: faultIf(kind === "patterns" && linesOf(form.patterns).length === 0, "needed"),
    personal: faultIf(kind === "personal_data" && form.personal.length === 0, "needed"),
    languages: faultIf(kind === "language" && form.languages.length === 0, "needed"),
    maxCharacters: faultIf(kind === "size" && !isCount(form.maxCharacters, 1, 100_000_000), "count"),
    tools: faultIf(kind === "tools" && form.tools.length === 0, "needed"),
    schema: faultIf(kind === "json" && form.schema.trim() !== "" && checkJsonObject(form.schema) !== null, "schema"),
    routeTo: faultIf(action === "route" && form.routeTo.trim() === "", "needed"),
    url: faultIf(isService && !/^https?:\/\/[^/]/.test(form.url.trim()), "url"),
    timeout: faultIf(isService && !isCount(form.timeout, 50, 30_000), "timeout"),
    threshold: faultIf(isService && !isCount(form.threshold, 1, 100), "threshold"),
    accounts: faultIf(!areIds(form.accounts), "ids"),
    projects: faultIf(!areIds(form.projects), "ids"),
    keys: faultIf(!areIds(form.keys), "ids"),
  };
}

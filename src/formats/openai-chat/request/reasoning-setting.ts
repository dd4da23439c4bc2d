import type { ModelInfo } from "../../../catalog/catalog.ts";
import { isEffort, nearestEffort } from "../../../catalog/nearest-effort.ts";
import type { Amount, Conversation, Effort, ReasoningSetting } from "../../conversation/conversation.ts";
import type { ChatService, ReasoningControl } from "../../conversation/service.ts";
import { effortOfSetting, readEffort, settingOfBudget, settingOfEffort } from "../../helpers/reasoning-setting.ts";
import { type JsonObject, numberOf, recordOf, recordsOf, textOf } from "../../json.ts";

/** Members of a chat request that services use for reasoning. */
export const REASONING_MEMBERS: readonly string[] = [
  ...["reasoning_effort", "thinking", "reasoning", "enable_thinking", "thinking_budget"],
];

/** Reads whether and how much a chat request is to reason, in OpenAI's member and those of other services. */
export function readReasoningSetting(body: JsonObject): Conversation["reasoning"] {
  const options = recordOf(body.reasoning);
  return {
    setting: settingOf(body),
    show: options?.exclude === true ? false : null,
    summary: textOf(options?.summary),
  };
}

function settingOf(body: JsonObject): ReasoningSetting | null {
  const thinking = recordOf(body.thinking);
  const options = recordOf(body.reasoning);
  const tokens = numberOf(thinking?.budget_tokens) ?? numberOf(body.thinking_budget) ?? numberOf(options?.max_tokens);
  const effort = readEffort(body.reasoning_effort) ?? readEffort(options?.effort);
  const switches = [body.enable_thinking, options?.enabled];
  if (thinking?.type === "disabled" || switches.includes(false) || effort === "none" || tokens === 0)
    return { type: "off" };
  if (tokens !== null && tokens > 0) return settingOfBudget(tokens);
  if (effort !== null) return settingOfEffort(effort);
  const isOn = tokens !== null || thinking !== null || switches.includes(true);
  return isOn ? { type: "adaptive" } : null;
}

/** Members of a chat request for a setting; `isHonored`: the model does not do the opposite of what was asked for. */
export type ReasoningMembers = Readonly<{ members: JsonObject; isHonored: boolean }>;

const NOTHING: ReasoningMembers = { members: {}, isHonored: true };
const IGNORED: ReasoningMembers = { members: {}, isHonored: false };

/** Writes a setting as a service has it for a model. */
export function reasoningMembers(
  setting: ReasoningSetting | null,
  { reasoning }: Pick<ChatService, "reasoning">,
  model: string,
  info: ModelInfo,
): ReasoningMembers {
  if (!setting) return NOTHING;
  const style = info.reasoning?.style;
  if (style === "none") return setting.type === "off" ? NOTHING : IGNORED;
  if (reasoning.length === 0) return plainMembers(setting, info);
  const control = controlFor({ reasoning }, model);
  const isFixed = style === "fixed";
  const canReason = control !== null && !isFixed;
  if (setting.type === "off") return canReason ? offMembers(control, info) : isFixed ? IGNORED : NOTHING;
  if (canReason) {
    const members = onMembers(setting, control, info);
    const isAnswered = setting.type === "adaptive" && !isUnknown(control, info);
    return { members, isHonored: isAnswered || Object.keys(members).length > 0 };
  }
  if (!isFixed) return IGNORED;
  return control?.on
    ? { members: { ...control.on }, isHonored: true }
    : setting.type === "adaptive"
      ? NOTHING
      : IGNORED;
}

/** How a service controls the reasoning of a model; null: it has nothing for the model. */
const controlFor = ({ reasoning }: Pick<ChatService, "reasoning">, model: string): ReasoningControl | null =>
  reasoning.find(({ models }) => models?.test(model) ?? true) ?? null;

/** OpenAI's own member. Models that don't reason reject even "none", so an unknown model gets no "none". */
function plainMembers(setting: ReasoningSetting, info: ModelInfo): ReasoningMembers {
  if (setting.type !== "off") return { members: { reasoning_effort: effortOfSetting(setting) }, isHonored: true };
  return lowestEffort(info, (effort) => ({ reasoning_effort: effort }));
}

/** The effort next to none that a model has, which is none for some; nothing for a model whose efforts are unknown. */
export function lowestEffort(
  { reasoning }: ModelInfo,
  membersOf: (effort: Effort) => JsonObject,
  known?: readonly Effort[],
): ReasoningMembers {
  const efforts = reasoning?.efforts ?? known ?? (reasoning?.can_disable ? (["none"] as const) : []);
  if (efforts.length === 0) return IGNORED;
  const lowest = nearestEffort(efforts, "none");
  return { members: membersOf(lowest), isHonored: lowest === "none" };
}

/** Whether the service has efforts for some models, and nobody knows which this one has, if any. */
const isUnknown = ({ on, off, effort }: ReasoningControl, { reasoning }: ModelInfo): boolean =>
  !on && off === "lowest" && effort !== undefined && !(reasoning?.efforts ?? effort.efforts);

const canBeOff = ({ off }: Pick<ReasoningControl, "off">, { reasoning }: ModelInfo): boolean =>
  off !== "lowest" && reasoning?.style !== "fixed" && reasoning?.can_disable !== false;

function offMembers({ off, effort, on }: ReasoningControl, info: ModelInfo): ReasoningMembers {
  if (off === null) return NOTHING;
  if (off !== "lowest" && canBeOff({ off }, info)) return { members: { ...off }, isHonored: true };
  if (!effort) return IGNORED;
  const lowest = lowestEffort(info, (value) => nested(effort.path, value), effort.efforts);
  return { ...lowest, members: { ...on, ...lowest.members } };
}

function onMembers(setting: Amount, control: ReasoningControl, { reasoning }: ModelInfo): JsonObject {
  const { on, effort, budget } = control;
  const members: JsonObject = { ...on };
  const amount = setting.type === "adaptive" && setting.effort === undefined ? null : setting;
  if (amount && budget && (setting.type === "budget" || !effort)) {
    const tokens = setting.type === "budget" ? setting.tokens : BUDGETS[effortOfSetting(setting)];
    const { min_budget: least = 1, max_budget: most = tokens ?? 0 } = reasoning ?? {};
    if (tokens !== undefined) return merged(members, nested(budget, Math.min(most, Math.max(least, tokens))));
  }
  const efforts = reasoning?.efforts ?? effort?.efforts;
  // Models that may not reason at all do so for an effort; the others reason as they see fit without one.
  const needsEffort = !on && efforts?.includes("none") === true;
  if (!effort || (!amount && !needsEffort)) return members;
  const requested = effortOfSetting(setting);
  return merged(members, nested(effort.path, efforts ? nearestEffort(efforts, requested) : requested));
}

/** Budgets of efforts below the models' own; the others leave it to the model. */
const BUDGETS: Readonly<Partial<Record<Effort, number>>> = { minimal: 512, low: 2048, medium: 8192 };

const nested = ([name, ...rest]: readonly [string, ...string[]], value: unknown): JsonObject => {
  const [next, ...others] = rest;
  return { [name]: next === undefined ? value : nested([next, ...others], value) };
};

const merged = (base: JsonObject, more: JsonObject): JsonObject => {
  const result: JsonObject = { ...base };
  for (const [name, value] of Object.entries(more)) result[name] = mergedValue(base[name], value);
  return result;
};

const mergedValue = (before: unknown, after: unknown): unknown => {
  const [first, second] = [recordOf(before), recordOf(after)];
  return first && second ? { ...first, ...second } : after;
};

/**
 * What must change in a chat request that a client wrote for another service, or for none in particular, so that this service
 * reasons as asked for; null: nothing. A request that uses the service's own switch stays as it is.
 */
export function fitReasoning(
  body: JsonObject,
  service: Pick<ChatService, "reasoning">,
  model: string,
  info: ModelInfo,
): Readonly<{ changes: JsonObject; dropped: readonly string[] }> | null {
  const present = REASONING_MEMBERS.filter((name) => body[name] != null);
  if (present.length === 0 || service.reasoning.length === 0) return null;
  const control = controlFor(service, model);
  const switches = control ? switchesOf(control) : [];
  const own = [...switches, ...(control?.accepts ?? []), ...amountsOf(control)];
  const setting = settingOf(body);
  const cannotBeOff = setting?.type === "off" && !(control && canBeOff(control, info));
  if (!cannotBeOff && present.some((name) => switches.includes(name))) {
    const foreign = present.filter((name) => !own.includes(name));
    return foreign.length === 0 ? null : { changes: removal(foreign), dropped: [] };
  }
  // An effort that this gateway does not know yet.
  if (!setting || (typeof body.reasoning_effort === "string" && !isEffort(body.reasoning_effort))) return null;
  if (present.every((name) => control?.accepts?.includes(name))) return null;
  const { members, isHonored } = reasoningMembers(setting, service, model, info);
  // These models reason unless it is switched off: an amount in the service's own member needs no switch.
  if (setting.type !== "off" && present.every((name) => amountsOf(control).includes(name)))
    for (const name of switches) if (!present.includes(name)) delete members[name];
  const changes = { ...removal(present.filter((name) => !isSame(members[name], body[name]))), ...members };
  const isUnchanged = Object.entries(changes).every(([name, value]) => isSame(body[name], value));
  if (isUnchanged) return null;
  const hasAmount = setting.type === "budget" || setting.type === "effort";
  const isLost = !isHonored || (hasAmount && Object.keys(members).length === 0);
  return { changes, dropped: isLost ? present : [] };
}

/** Members that only clients of the service use, unlike OpenAI's effort. */
const switchesOf = ({ on, off }: ReasoningControl): string[] =>
  [...new Set([...Object.keys(on ?? {}), ...(off === "lowest" ? [] : Object.keys(off ?? {}))])].filter(
    (name) => name !== "reasoning_effort",
  );

const amountsOf = (control: ReasoningControl | null): string[] => [
  ...(control?.effort ? [control.effort.path[0]] : []),
  ...(control?.budget ? [control.budget[0]] : []),
];

const removal = (names: readonly string[]): JsonObject => Object.fromEntries(names.map((name) => [name, undefined]));

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Messages whose reasoning is in the member that the service reads; null: nothing must change. `reasoning_details` go where
 * signatures are read.
 */
export function renameReasoning(
  messages: unknown,
  { reasoningName, reasoningDetails }: Pick<ChatService, "reasoningName" | "reasoningDetails">,
): JsonObject[] | null {
  const list = recordsOf(messages);
  const isFitting = (message: JsonObject) =>
    NAMES.every((name) => name === reasoningName || message[name] === undefined) &&
    (reasoningDetails || message.reasoning_details === undefined);
  if (list.every(isFitting)) return null;
  return list.map((message) => {
    if (isFitting(message)) return message;
    const { reasoning_content, reasoning, reasoning_details, ...rest } = message;
    const text = reasoningName === "reasoning" ? (reasoning ?? reasoning_content) : (reasoning_content ?? reasoning);
    return {
      ...rest,
      ...(reasoningName !== null && text !== undefined && { [reasoningName]: text }),
      ...(reasoningDetails && reasoning_details !== undefined && { reasoning_details }),
    };
  });
}

const NAMES = ["reasoning_content", "reasoning"] as const;

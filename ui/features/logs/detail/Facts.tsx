import type { TFunction } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { LogOther } from "../../../../src/billing/types.ts";
import { CopyButton } from "../../../components/display/CopyButton.tsx";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { Row } from "../../../components/layout.tsx";
import { formatSeconds } from "../../../lib/format/duration.ts";
import { formatNumber } from "../../../lib/format/number.ts";
import { failureText } from "../../../state/failure-text.ts";
import { costOf, isCall, type LogEntry, marginOf, noteText } from "../entries/log-entry.ts";
import { GuardrailFacts } from "./GuardrailFacts.tsx";

type Fact = readonly [string, ReactNode];

/** The known details of a row. */
export const Facts = ({ entry, other }: { entry: LogEntry; other: Partial<LogOther> }) => {
  const { t, i18n } = useTranslation();
  const requestId = other.request_id ?? entry.request_id;
  const count = (tokens: number | undefined) => formatNumber(tokens ?? 0);
  /** Omits facts without a value. */
  const fact = (name: string, isKnown: unknown, value: ReactNode): Fact[] =>
    isKnown ? [[t(`logs.detail.${name}`), value]] : [];
  const facts = [
    ...fact("id", requestId, <IdFact key="id" id={requestId ?? ""} />),
    ...fact("channel", entry.channel, `${entry.channel_name} #${entry.channel}`),
    ...fact(
      "key",
      other.admin_info?.key_index !== undefined,
      t("logs.detail.keyNumber", { number: (other.admin_info?.key_index ?? 0) + 1 }),
    ),
    ...fact(
      "requested",
      other.requested_model ?? other.is_model_mapped,
      <code>{other.requested_model ?? entry.model_name}</code>,
    ),
    ...fact("fallback", other.requested_model, <code>{entry.model_name}</code>),
    ...fact("upstream", other.is_model_mapped && other.upstream_model_name, <code>{other.upstream_model_name}</code>),
    ...fact("format", other.claude, t("logs.detail.claude")),
    ...fact("ending", other.ending, t(`logs.detail.endings.${other.ending}`)),
    ...fact("stopReason", other.stop_reason, <code>{other.stop_reason}</code>),
    ...fact("usage", isCall(entry) && other.usage_evidence, t(`logs.detail.evidence.${other.usage_evidence}`)),
    ...fact(
      "tokens",
      isCall(entry),
      t("logs.detail.tokensInOut", { input: count(entry.prompt_tokens), output: count(entry.completion_tokens) }),
    ),
    ...fact("cacheRead", other.cache_tokens, count(other.cache_tokens)),
    ...fact("cacheWrite", other.cache_creation_tokens, count(other.cache_creation_tokens)),
    ...fact(
      "cacheSaved",
      other.automatic_cache_saved !== undefined,
      <Money key="cacheSaved" quota={other.automatic_cache_saved ?? 0} decimals={6} />,
    ),
    ...fact("providerCost", costOf(entry) !== null, <Money key="cost" quota={costOf(entry) ?? 0} decimals={6} />),
    ...fact("margin", marginOf(entry) !== null, <Money key="margin" quota={marginOf(entry) ?? 0} decimals={6} />),
    ...fact("ownKey", other.own_key, ownKeyText(other.own_key)),
    ...fact(
      "responseCache",
      other.response_cache?.age_seconds,
      t("logs.detail.responseAge", { age: formatSeconds(other.response_cache?.age_seconds ?? 0) }),
    ),
    ...fact(
      "guardrails",
      other.guardrails,
      other.guardrails && <GuardrailFacts key="guardrails" {...other.guardrails} />,
    ),
    ...fact("text", other.text_input ?? other.text_output, inOut(other.text_input, other.text_output)),
    ...fact("audio", other.audio_input ?? other.audio_output, inOut(other.audio_input, other.audio_output)),
    ...fact("pictures", other.image_input ?? other.image_output, inOut(other.image_input, other.image_output)),
    ...fact("reasoning", other.reasoning_tokens, count(other.reasoning_tokens)),
    ...fact("effort", other.reasoning_effort, other.reasoning_effort),
    ...fact("serviceTier", other.service_tier, <code>{other.service_tier}</code>),
    ...fact("ratios", isCall(entry) && !other.receipt && other.model_ratio !== undefined, ratiosText(other, t)),
    ...fact("uncovered", entry.uncovered, <Money key="uncovered" quota={entry.uncovered} decimals={6} />),
    ...fact("tags", other.tags?.length, <code>{other.tags?.join(", ")}</code>),
    ...fact("endUser", entry.end_user, <code>{entry.end_user}</code>),
    ...fact("budgets", other.budgets?.some(isOwnBudget), budgetsText(other.budgets ?? [], t)),
    // The part above says it of failed calls.
    ...fact("status", other.status && !entry.failed, other.status),
    ...fact("error", other.error && !entry.failed, failureText(other)),
    // For calls of this gateway it repeats, in English, what the receipt or the error says.
    ...fact("note", entry.content && !other.usage_evidence, noteText(entry, t, i18n.language)),
    ...fact("ip", entry.ip, <code>{entry.ip}</code>),
  ];
  return facts.length > 0 ? <KeyValue width={112} items={facts} /> : t("logs.detail.nothing");

  function inOut(input: number | undefined, output: number | undefined): string {
    return t("logs.detail.tokensInOut", { input: count(input), output: count(output) });
  }
};

/** A key that came with its call has the provider's name. */
const ownKeyText = (key: LogOther["own_key"]): string =>
  key && key.id > 0 ? `${key.name} (${key.provider})` : (key?.provider ?? "");

/** What plans allow stands on the receipt. */
const isOwnBudget = ({ scope }: { scope: string }) => scope !== "plan";

/** The budgets of an organization that a call counted in. */
const budgetsText = (budgets: NonNullable<LogOther["budgets"]>, t: TFunction): string =>
  budgets
    .filter(isOwnBudget)
    .map(({ scope, name, period }) =>
      [t(`logs.detail.budgetScopes.${scope}`), name, t(`logs.detail.budgetPeriods.${period}`)]
        .filter(Boolean)
        .join(" "),
    )
    .join(" · ");

const IdFact = ({ id }: { id: string }) => (
  <Row gap={1}>
    <code>{id}</code>
    <CopyButton text={id} />
  </Row>
);

const RATIOS = [
  "model_ratio",
  "completion_ratio",
  "cache_ratio",
  "cache_creation_ratio",
  "audio_ratio",
  "audio_completion_ratio",
  "group_ratio",
  "user_group_ratio",
] as const;

/** The ratios of a call, for imported rows without a receipt. */
export function ratiosText(other: Partial<LogOther>, t: TFunction): string {
  const { model_price: price = -1 } = other;
  const isFixed = price >= 0;
  const named = isFixed ? (["group_ratio", "user_group_ratio"] as const) : RATIOS;
  // Imported rows contain −1 for a ratio that does not apply.
  const ratios = named.flatMap((name) => {
    const value = other[name];
    return value === undefined || value < 0 ? [] : [t(`logs.detail.ratioOf.${name}`, { value })];
  });
  return [...(isFixed ? [t("logs.detail.ratioOf.model_price", { value: price })] : []), ...ratios].join(" · ");
}

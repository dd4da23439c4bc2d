import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Organization } from "../../../../api/accounts/organization-calls.ts";
import { useActing } from "../../../../api/accounts/use-organization.ts";
import { exactAmountText, useMoneyFormat } from "../../../../components/display/Money.tsx";
import type { MoneyFormat } from "../../../../lib/format/amount-text.ts";
import { formatNumber } from "../../../../lib/format/number.ts";
import { ResourcePanel } from "../ResourcePanel.tsx";
import { PolicyDialog } from "./PolicyDialog.tsx";
import { deletePolicy, type Policy, policies } from "./policy-calls.ts";

/** Each rule of a policy with what it says; words that are blocked are only counted. */
function ruleTexts(
  t: TFunction,
  { rules }: Policy,
  types: readonly Readonly<{ id: number; name: string }>[],
  format: MoneyFormat,
): string[] {
  const typeNames = types.filter(({ id }) => rules.channel_types.includes(id)).map(({ name }) => name);
  const words = rules.blocked_words.split("\n").filter((word) => word.trim() !== "");
  const rows: readonly (readonly [string, string])[] = [
    [t("organizations.policies.models"), rules.models.join(", ")],
    [t("organizations.policies.providers"), typeNames.join(", ")],
    [t("organizations.policies.regions"), (rules.regions ?? []).join(", ")],
    [t("organizations.policies.ips"), rules.allow_ips.split("\n").join(", ")],
    [t("organizations.policies.words"), words.length > 0 ? formatNumber(words.length) : ""],
    [t("organizations.policies.maxKeyDays"), rules.max_key_days > 0 ? formatNumber(rules.max_key_days) : ""],
    [t("organizations.policies.rotationDays"), rules.rotation_days ? formatNumber(rules.rotation_days) : ""],
    [
      t("organizations.policies.maxPrice"),
      rules.max_call_quota > 0 ? exactAmountText(rules.max_call_quota, format) : "",
    ],
  ];
  return [
    ...rows.filter(([, value]) => value !== "").map(([field, value]) => t("audit.pair", { field, value })),
    ...(rules.no_content_log ? [t("organizations.policies.noContentLog")] : []),
  ];
}

/** The rules for calls of the organization and its projects. */
export const PoliciesPanel = ({ organization: { id } }: { organization: Organization }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { may } = useActing();
  const format = useMoneyFormat();
  const { data, error, refetch } = useQuery(policies(id));
  const types = data?.channel_types ?? [];
  return (
    <ResourcePanel
      text={(name) => `organizations.policies.${name}`}
      rows={data?.policies}
      error={error}
      onRetry={() => void refetch()}
      isManager={may("policies.manage")}
      change={t("organizations.policies.change")}
      skeletonHeight={40}
      isLong
      heading={({ name }) => name}
      body={(policy) =>
        [policy.project_name || t("organizations.policies.everything"), ...ruleTexts(t, policy, types, format)].map(
          (text) => <div key={text}>{text}</div>,
        )
      }
      remove={(policy) => deletePolicy(id, policy)}
      reload={() => client.invalidateQueries(policies(id))}
      dialog={(policy, onClose) => data && <PolicyDialog id={id} policy={policy} types={types} onClose={onClose} />}
    />
  );
};

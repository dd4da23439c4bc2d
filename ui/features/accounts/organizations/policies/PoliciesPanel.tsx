import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Organization } from "../../../../api/accounts/organization-calls.ts";
import { useActing } from "../../../../api/accounts/use-organization.ts";
import { exactAmountText, type MoneyFormat, useMoneyFormat } from "../../../../components/display/Money.tsx";
import { useConfirm } from "../../../../components/feedback/confirm.tsx";
import { ErrorState } from "../../../../components/feedback/ErrorState.tsx";
import { notifyDone, notifyError } from "../../../../components/feedback/notify.tsx";
import { Panel, Row } from "../../../../components/layout.tsx";
import { formatNumber } from "../../../../lib/format/number.ts";
import { Entry } from "../../security/Entry.tsx";
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
  const confirm = useConfirm();
  const { may } = useActing();
  const format = useMoneyFormat();
  const { data, error, refetch } = useQuery(policies(id));
  /** Null: a new one. */
  const [edited, setEdited] = useState<Policy | null | undefined>(undefined);
  const isManager = may("policies.manage");
  const remove = async ({ id: policy, name }: Policy) => {
    const isSure = await confirm({
      title: t("organizations.policies.deleteTitle", { name }),
      body: t("organizations.policies.deleteBody"),
      action: t("organizations.policies.delete"),
      isDangerous: true,
    });
    if (!isSure) return;
    try {
      await deletePolicy(id, policy);
      notifyDone(t("organizations.policies.deleted", { name }));
    } catch (failure) {
      notifyError(failure);
    }
    await client.invalidateQueries(policies(id));
  };
  return (
    <Panel
      title={t("organizations.policies.title")}
      action={
        isManager && (
          <Button size="small" onClick={() => setEdited(null)}>
            {t("organizations.policies.create")}
          </Button>
        )
      }
    >
      <Box sx={{ mb: 3, fontSize: 12, color: "text.tertiary" }}>{t("organizations.policies.hint")}</Box>
      {error && !data && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={40} />}
      {data?.policies.length === 0 && (
        <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("organizations.policies.none")}</Box>
      )}
      {data?.policies.map((policy) => (
        <Entry
          key={policy.id}
          title={policy.name}
          isLong
          action={
            isManager && (
              <Row gap={2}>
                <Button size="small" onClick={() => setEdited(policy)}>
                  {t("organizations.policies.change")}
                </Button>
                <Button size="small" color="error" onClick={() => void remove(policy)}>
                  {t("organizations.policies.delete")}
                </Button>
              </Row>
            )
          }
        >
          {[
            policy.project_name || t("organizations.policies.everything"),
            ...ruleTexts(t, policy, data.channel_types, format),
          ].map((text) => (
            <div key={text}>{text}</div>
          ))}
        </Entry>
      ))}
      {edited !== undefined && data && (
        <PolicyDialog id={id} policy={edited} types={data.channel_types} onClose={() => setEdited(undefined)} />
      )}
    </Panel>
  );
};

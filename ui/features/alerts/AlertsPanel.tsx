import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import RuleIcon from "@mui/icons-material/RuleOutlined";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { eventTraits } from "../../../src/domain/alerts/event-rules.ts";
import type { Column } from "../../components/data-table/column.ts";
import { amountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { StatusChip } from "../../components/display/StatusChip.tsx";
import { useAction } from "../../components/feedback/use-action.ts";
import { Col } from "../../components/layout.tsx";
import { PagePart, ResourcePart } from "../../components/page/ResourcePage.tsx";
import { type AlertScope, deleteRule, destinationList, type Rule, ruleList, saveRule } from "./alert-calls.ts";
import { DeliveryTable } from "./DeliveryTable.tsx";
import { DestinationList } from "./DestinationList.tsx";
import { RuleDrawer } from "./RuleDrawer.tsx";

const RULE_TEXTS: Readonly<Record<string, string>> = {
  purpose: "alerts.rules.hint",
  deleted: "alerts.rules.deletedToast",
};

/** Which events are alerts: edit, switch off and delete. */
const RuleList = ({ scope }: { scope: AlertScope }) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const act = useAction(() => client.invalidateQueries(ruleList(scope)));
  const nameOf = useCallback(({ event }: Rule): string => t(`alertEvents.names.${event}`), [t]);
  const toggle = ({ id, ...rule }: Rule) =>
    act({
      work: () => saveRule(scope, { ...rule, enabled: !rule.enabled }, id),
      done: ({ enabled }) => t(enabled ? "alerts.rules.enabledToast" : "alerts.rules.disabledToast"),
    });
  return (
    <ResourcePart
      text={(name) => RULE_TEXTS[name] ?? `alerts.rules.${name}`}
      list={useQuery(ruleList(scope))}
      columns={useRuleColumns(scope, nameOf)}
      icon={<RuleIcon />}
      rowName={nameOf}
      actions={(rule, edit) => [
        edit,
        {
          label: t(rule.enabled ? "alerts.rules.disable" : "alerts.rules.enable"),
          icon: rule.enabled ? <Block /> : <Check />,
          onSelect: () => void toggle(rule),
        },
      ]}
      remove={(id) => deleteRule(scope, id)}
      isDim={({ enabled }) => !enabled}
      drawer={(rule, onClose) => <RuleDrawer scope={scope} rule={rule} onClose={onClose} />}
    />
  );
};

function useRuleColumns(scope: AlertScope, nameOf: (rule: Rule) => string): readonly Column<Rule>[] {
  const { t } = useTranslation();
  const money = useMoneyFormat();
  const destinations = useQuery(destinationList(scope)).data;
  return useMemo(() => {
    const whenOf = ({ event, threshold, window_minutes: minutes }: Rule): string => {
      const unit = eventTraits(event).threshold?.unit;
      if (unit === undefined) return t("alerts.rules.when.always");
      const text = unit === "quota" ? amountText(threshold, money) : String(threshold);
      return t(`alerts.rules.when.${event}`, { threshold: text, minutes });
    };
    const namesOf = ({ destination_ids: ids }: Rule): string => {
      const named = destinations?.filter(({ id }) => ids.includes(id)) ?? [];
      return ids.length === 0 ? t("alerts.rules.all") : named.map(({ name }) => name).join(", ") || "–";
    };
    return [
      { key: "event", head: t("alerts.rules.columns.event"), isTitle: true, cell: nameOf },
      { key: "when", head: t("alerts.rules.columns.when"), width: 260, cell: whenOf },
      { key: "destinations", head: t("alerts.rules.columns.destinations"), width: 220, cell: namesOf },
      {
        key: "state",
        head: t("alerts.rules.columns.state"),
        width: 112,
        isSolid: true,
        cell: ({ enabled }) => (
          <StatusChip tone={enabled ? "ok" : "idle"}>
            {t(enabled ? "alerts.states.on" : "alerts.states.off")}
          </StatusChip>
        ),
      },
    ];
  }, [t, money, destinations, nameOf]);
}

/** Destinations of alerts, rules, and the log of what was sent to them. */
export const AlertsPanel = ({ scope }: { scope: AlertScope }) => {
  const { t } = useTranslation();
  return (
    <Col gap={6}>
      <DestinationList scope={scope} />
      <RuleList scope={scope} />
      <PagePart title={t("alerts.log.title")} hint={t("alerts.log.hint")}>
        <DeliveryTable scope={scope} />
      </PagePart>
    </Col>
  );
};

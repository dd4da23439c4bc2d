import Add from "@mui/icons-material/AddOutlined";
import Block from "@mui/icons-material/BlockOutlined";
import Check from "@mui/icons-material/CheckCircleOutlineOutlined";
import Delete from "@mui/icons-material/DeleteOutlineOutlined";
import Edit from "@mui/icons-material/EditOutlined";
import RuleIcon from "@mui/icons-material/RuleOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { eventTraits } from "../../../src/domain/alerts/event-rules.ts";
import type { Column } from "../../components/data-table/column.ts";
import { DataTable } from "../../components/data-table/DataTable.tsx";
import { useDataTable } from "../../components/data-table/use-data-table.ts";
import { amountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { StatusChip } from "../../components/display/StatusChip.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { useAction } from "../../components/feedback/use-action.ts";
import { Col, Row } from "../../components/layout.tsx";
import {
  type AlertScope,
  type Destination,
  deleteRule,
  destinationList,
  type Rule,
  ruleList,
  saveRule,
} from "./alert-calls.ts";
import { DeliveryTable } from "./DeliveryTable.tsx";
import { DestinationDrawer } from "./DestinationDrawer.tsx";
import { DestinationTable } from "./DestinationTable.tsx";
import { RuleDrawer } from "./RuleDrawer.tsx";

type RuleTableProps = Readonly<{
  scope: AlertScope;
  /** The button that adds one. */
  add: ReactNode;
  onEdit: (rule: Rule) => void;
}>;

/** Which events are alerts: edit, switch off and delete. */
const RuleTable = ({ scope, add, onEdit }: RuleTableProps) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const list = useQuery(ruleList(scope));
  const act = useAction(() => client.invalidateQueries(ruleList(scope)));
  const nameOf = useCallback(({ event }: Rule): string => t(`alertEvents.names.${event}`), [t]);
  const toggle = ({ id, ...rule }: Rule) =>
    act({
      work: () => saveRule(scope, { ...rule, enabled: !rule.enabled }, id),
      done: ({ enabled }) => t(enabled ? "alerts.rules.enabledToast" : "alerts.rules.disabledToast"),
    });
  const remove = (rule: Rule) =>
    act({
      question: {
        title: t("alerts.rules.deleteTitle"),
        body: t("alerts.rules.deleteBody", { event: nameOf(rule) }),
        action: t("alerts.rules.delete"),
        isDangerous: true,
      },
      work: () => deleteRule(scope, rule.id),
      done: () => t("alerts.rules.deletedToast"),
    });
  const columns = useRuleColumns(scope, nameOf);
  const model = useDataTable({
    columns,
    rows: list.data,
    rowId: ({ id }) => id,
    rowName: nameOf,
    actions: (rule) => [
      { label: t("alerts.rules.edit"), icon: <Edit />, onSelect: () => onEdit(rule) },
      {
        label: t(rule.enabled ? "alerts.rules.disable" : "alerts.rules.enable"),
        icon: rule.enabled ? <Block /> : <Check />,
        onSelect: () => void toggle(rule),
      },
      { label: t("alerts.rules.delete"), icon: <Delete />, onSelect: () => void remove(rule), isDangerous: true },
    ],
  });
  return (
    <DataTable
      model={model}
      error={list.error}
      onRetry={() => void list.refetch()}
      onOpen={onEdit}
      isDim={({ enabled }) => !enabled}
      empty={
        <EmptyState
          icon={<RuleIcon />}
          title={t("alerts.rules.empty.title")}
          body={t("alerts.rules.empty.body")}
          action={add}
        />
      }
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
  const [opened, setOpened] = useState<{ destination: Destination | null } | null>(null);
  const [openedRule, setOpenedRule] = useState<{ rule: Rule | null } | null>(null);
  // An empty part has the button in it.
  const hasDestinations = (useQuery(destinationList(scope)).data ?? []).length > 0;
  const hasRules = (useQuery(ruleList(scope)).data ?? []).length > 0;
  const addRule = (
    <Button startIcon={<Add />} onClick={() => setOpenedRule({ rule: null })}>
      {t("alerts.rules.add")}
    </Button>
  );
  const add = (
    <Button variant="contained" color="primary" startIcon={<Add />} onClick={() => setOpened({ destination: null })}>
      {t("alerts.add")}
    </Button>
  );
  return (
    <Col gap={6}>
      <Part title={t("alerts.destinations")} hint={t("alerts.destinationsHint")} action={hasDestinations && add}>
        <DestinationTable scope={scope} add={add} onEdit={(destination) => setOpened({ destination })} />
      </Part>
      <Part title={t("alerts.rules.title")} hint={t("alerts.rules.hint")} action={hasRules && addRule}>
        <RuleTable scope={scope} add={addRule} onEdit={(rule) => setOpenedRule({ rule })} />
      </Part>
      <Part title={t("alerts.log.title")} hint={t("alerts.log.hint")}>
        <DeliveryTable scope={scope} />
      </Part>
      {opened && <DestinationDrawer scope={scope} destination={opened.destination} onClose={() => setOpened(null)} />}
      {openedRule && <RuleDrawer scope={scope} rule={openedRule.rule} onClose={() => setOpenedRule(null)} />}
    </Col>
  );
};

type PartProps = Readonly<{ title: string; hint: string; action?: ReactNode; children: ReactNode }>;

const Part = ({ title, hint, action, children }: PartProps) => (
  <Box component="section">
    <Row sx={{ mb: 2 }}>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Typography variant="h2">{title}</Typography>
        <Typography variant="caption" sx={{ color: "text.tertiary" }}>
          {hint}
        </Typography>
      </Box>
      {action}
    </Row>
    {children}
  </Box>
);

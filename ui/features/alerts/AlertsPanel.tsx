import RuleIcon from "@mui/icons-material/RuleOutlined";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { eventTraits } from "../../../src/domain/alerts/event-rules.ts";
import { amountText, useMoneyFormat } from "../../components/display/Money.tsx";
import { Col } from "../../components/layout.tsx";
import { ListPart, ListTable, PagePart } from "../../components/page/list/ListPage.tsx";
import type { ListContext } from "../../components/page/list/list-context.ts";
import type { ResourceList } from "../../components/page/list/resource-list.ts";
import { deleting, editing, switching } from "../../components/page/list/standard-actions.tsx";
import { useAddress } from "../../components/use-address.ts";
import type { MoneyFormat } from "../../lib/format/amount-text.ts";
import {
  type AlertScope,
  type Destination,
  deleteRule,
  destinationList,
  type Rule,
  ruleList,
  saveRule,
} from "./alert-calls.ts";
import { presetOf } from "./alert-link.ts";
import { DestinationList, stateOf } from "./DestinationList.tsx";
import { deliveriesOf } from "./delivery-list.tsx";
import { RuleDrawer } from "./RuleDrawer.tsx";

type Data = Readonly<{ money: MoneyFormat; destinations: readonly Destination[] }>;

function whenOf(
  { event, threshold: least, window_minutes: minutes, ...spending }: Rule,
  { t, data }: ListContext<Data>,
) {
  const unit = eventTraits(event).threshold?.unit;
  if (unit === undefined) return t("alerts.rules.when.always");
  const threshold = unit === "quota" ? amountText(least, data.money) : String(least);
  if (eventTraits(event).namedBy && spending.subject)
    return t(`alerts.rules.when.${event === "failures" ? "failuresOne" : "guardrailsOne"}`, {
      threshold,
      minutes,
      subject: spending.subject,
    });
  if (event !== "spending") return t(`alerts.rules.when.${event}`, { threshold, minutes });
  const { subject = "" } = spending;
  const period = t(`alerts.rules.when.periods.${spending.period}`);
  if (subject !== "") return t("alerts.rules.when.spendingOne", { threshold, period, subject });
  return t("alerts.rules.when.spending", { threshold, period, per: t(`alerts.rules.when.spenders.${spending.per}`) });
}

function placesOf({ destination_ids: ids }: Rule, { t, data }: ListContext<Data>): string {
  if (ids.length === 0) return t("alerts.rules.all");
  return data.destinations
    .filter(({ id }) => ids.includes(id))
    .map(({ name }) => name)
    .join(", ");
}

/** Which events are alerts: edit, switch off and delete. */
export const rulesOf = (scope: AlertScope): ResourceList<Rule, object, Data> => ({
  text: (name) => (name === "purpose" ? "alerts.rules.hint" : `alerts.rules.${name}`),
  icon: RuleIcon,
  rows: { useAll: () => useQuery(ruleList(scope)) },
  rowId: ({ id }) => id,
  rowName: ({ event }, { t }) => t(`alertEvents.names.${event}`),
  columns: [
    { key: "event", kind: "choice", texts: "alertEvents.names", isTitle: true },
    { key: "when", kind: "text", width: 260, of: whenOf },
    { key: "destinations", kind: "text", width: 220, of: placesOf },
    { key: "state", kind: "status", width: 112, of: stateOf },
  ],
  add: { name: "add", open: (_, close) => <RuleDrawer scope={scope} rule={null} onClose={close} /> },
  actions: [
    editing((rule, close) => <RuleDrawer scope={scope} rule={rule} onClose={close} />),
    ...switching<Rule, Data>({
      isOn: ({ enabled }) => enabled,
      work: ({ id, ...rule }, enabled) => saveRule(scope, { ...rule, enabled }, id),
      done: { on: "alerts.rules.enabledToast", off: "alerts.rules.disabledToast" },
    }),
    deleting(({ id }) => deleteRule(scope, id), "alerts.rules.deletedToast"),
  ],
  onRow: ["edit"],
  isDim: ({ enabled }) => !enabled,
  useData: () => ({ money: useMoneyFormat(), destinations: useQuery(destinationList(scope)).data ?? [] }),
});

/** Destinations of alerts, rules, and the log of what was sent to them. */
export const AlertsPanel = ({ scope }: { scope: AlertScope }) => {
  const { t } = useTranslation();
  const address = useAddress();
  const preset = presetOf(address, scope);
  const forget = () => address.set({ alert: undefined, threshold: undefined, per: undefined, subject: undefined });
  return (
    <Col gap={6}>
      {preset && <RuleDrawer scope={scope} rule={null} preset={preset} onClose={forget} />}
      <DestinationList scope={scope} />
      <ListPart list={useMemo(() => rulesOf(scope), [scope])} />
      <PagePart title={t("alerts.log.title")} hint={t("alerts.log.hint")}>
        <ListTable list={useMemo(() => deliveriesOf(scope), [scope])} />
      </PagePart>
    </Col>
  );
};

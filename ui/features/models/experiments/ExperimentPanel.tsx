import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useTranslation } from "react-i18next";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { Col, Panel, Row } from "../../../components/layout.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { ComparisonTable } from "./ComparisonTable.tsx";
import { ExperimentChart } from "./ExperimentChart.tsx";
import type { ExperimentView } from "./experiment-calls.ts";

type Props = Readonly<{ experiment: ExperimentView; onDelete: () => void }>;

/** One experiment: its figures side by side, and which differences are beyond noise. */
export const ExperimentPanel = ({ experiment, onDelete }: Props) => {
  const { t } = useTranslation();
  const { route, mode, model, channel_tags: tags, percent, is_enabled: isEnabled, calls, comparisons } = experiment;
  const { operator_cost: cost, spent_today: spent, budget_per_day: budget, judge, verdicts } = experiment;
  return (
    <Panel title={route} hint={t(`experiments.what.${mode}`, { model: [model, ...tags].join(", "), percent })}>
      <Col gap={4}>
        <KeyValue
          width={180}
          items={[
            [t("experiments.calls"), `${formatNumber(calls.control)} / ${formatNumber(calls.trial)}`],
            ...(cost === null
              ? []
              : [[t("experiments.cost"), <Money key="cost" quota={cost} decimals={6} />] as const]),
            ...(spent === null || budget === null
              ? []
              : [
                  [
                    t("experiments.spentToday"),
                    <Row key="spent" gap={1}>
                      <Money quota={spent} decimals={6} /> / <Money quota={budget} />
                    </Row>,
                  ] as const,
                ]),
            ...(judge === null ? [] : [[t("experiments.judge"), judge] as const]),
          ]}
        />
        <ComparisonTable comparisons={comparisons} />
        {calls.control + calls.trial === 0 ? (
          <Box sx={{ fontSize: 13, color: "text.secondary" }}>{t("experiments.chart.none")}</Box>
        ) : (
          <ExperimentChart route={route} />
        )}
        {verdicts && <Verdicts verdicts={verdicts} />}
        <Row gap={3} wrap>
          {!isEnabled && <StatusChip tone="idle">{t("routes.status.disabled")}</StatusChip>}
          <Button onClick={onDelete}>{t("experiments.delete")}</Button>
        </Row>
      </Col>
    </Panel>
  );
};

const Verdicts = ({ verdicts }: Readonly<{ verdicts: NonNullable<ExperimentView["verdicts"]> }>) => {
  const { t } = useTranslation();
  const { trial, control, tie, latest } = verdicts;
  const side = (verdict: number) => (verdict > 0 ? "new" : verdict < 0 ? "current" : "tie");
  return (
    <Col gap={1}>
      <Box sx={{ fontSize: 13 }}>{t("experiments.verdicts", { trial, control, tie })}</Box>
      {latest.map(({ request_id: id, created_at: at, verdict, reason }) => (
        <Row key={id} gap={3} sx={{ fontSize: 12.5, alignItems: "baseline" }}>
          <Box sx={{ color: "text.tertiary", whiteSpace: "nowrap" }}>
            <TimeAgo seconds={at} />
          </Box>
          <Box sx={{ whiteSpace: "nowrap" }}>{t(`experiments.${side(verdict)}`)}</Box>
          <Box sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>{reason}</Box>
        </Row>
      ))}
    </Col>
  );
};

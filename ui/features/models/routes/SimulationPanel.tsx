import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Outcomes, Simulation } from "../../../../src/domain/models/routes/simulation.ts";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Col, Row } from "../../../components/layout.tsx";
import { formatDuration } from "../../../lib/format/duration.ts";
import { formatNumber, formatShare } from "../../../lib/format/number.ts";
import { simulateRoute } from "./route-calls.ts";
import { checkRouteForm, definitionOf, type RouteForm } from "./route-form.ts";

/** What the last day's calls would have cost and taken under the form's route. */
export const SimulationPanel = ({ form }: Readonly<{ form: RouteForm }>) => {
  const { t } = useTranslation();
  const isValid = Object.values(checkRouteForm(form, [])).every((fault) => fault === undefined);
  const { mutate, data, isPending } = useMutation({
    mutationFn: () => simulateRoute(form.name.trim(), definitionOf(form)),
    onError: notifyError,
  });
  return (
    <Col gap={3}>
      <Row>
        <Button loading={isPending} disabled={!isValid} onClick={() => mutate()}>
          {t("routes.simulation.run")}
        </Button>
      </Row>
      {data && (data.calls === 0 ? <Box>{t("routes.simulation.none")}</Box> : <Result simulation={data} />)}
    </Col>
  );
};

const Result = ({ simulation: { calls, before, after, unmeasured } }: Readonly<{ simulation: Simulation }>) => {
  const { t } = useTranslation();
  return (
    <Col gap={3}>
      <Box sx={{ color: "text.secondary" }}>
        {t("routes.simulation.calls")}: <span className="num">{formatNumber(calls)}</span>
      </Box>
      <Row gap={4} wrap sx={{ alignItems: "flex-start" }}>
        <Side title={t("routes.simulation.before")} outcomes={before} />
        <Side title={t("routes.simulation.after")} outcomes={after} />
      </Row>
      {unmeasured.length > 0 && (
        <Box sx={{ fontSize: 12, color: "text.tertiary" }}>
          {t("routes.simulation.unmeasured", { models: unmeasured.join(", ") })}
        </Box>
      )}
    </Col>
  );
};

const Side = ({ title, outcomes }: Readonly<{ title: string; outcomes: Outcomes }>) => {
  const { t } = useTranslation();
  const { cost, latency_ms: latencyMs, success, refused, shares } = outcomes;
  const models = Object.entries(shares)
    .toSorted(([, a], [, b]) => b - a)
    .map(([model, share]) => `${model} ${formatShare(share)}`);
  return (
    <Box sx={{ flex: "1 1 200px" }}>
      <Box sx={{ fontWeight: 560, mb: 1 }}>{title}</Box>
      <KeyValue
        items={[
          [
            t("routes.simulation.cost"),
            cost === null ? "–" : <Money key="cost" quota={Math.round(cost)} decimals={6} />,
          ],
          [t("routes.simulation.latency"), formatDuration(latencyMs)],
          [t("routes.simulation.success"), success === null ? "–" : formatShare(success)],
          [t("routes.simulation.refused"), formatNumber(refused)],
          [t("routes.simulation.shares"), models.join(", ") || "–"],
        ]}
      />
    </Box>
  );
};

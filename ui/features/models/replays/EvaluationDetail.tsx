import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { KeyValue } from "../../../components/display/KeyValue.tsx";
import { Money } from "../../../components/display/Money.tsx";
import { useConfirm } from "../../../components/feedback/confirm.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { FigureTable } from "../../../components/page/list/FigureTable.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import { COMPARISON } from "../experiments/comparison.tsx";
import { ReplayedCallPanel } from "./ReplayedCallPanel.tsx";
import { EvaluationStatus } from "./ReplaySetPanel.tsx";
import {
  deleteEvaluation,
  type EvaluationResult,
  evaluationResult,
  resumeEvaluation,
  stopEvaluation,
} from "./replay-form.ts";

const PAGE = 20;

/** What came of an evaluation: its figures, and each request as it was and as it is now. */
export const EvaluationDetail = ({ id }: Readonly<{ id: number }>) => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [page, setPage] = useState(0);
  const { data, error, refetch } = useQuery({ ...evaluationResult(id, page), placeholderData: keepPreviousData });
  return (
    <>
      <PageHeader
        title={data?.evaluation.name ?? t("replays.title")}
        purpose={t("replays.detailPurpose")}
        actions={<Button onClick={() => void navigate({ to: "/replays", search: {} })}>{t("replays.back")}</Button>}
      />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton variant="rounded" height={240} />}
      {data && (
        <Col gap={4}>
          <Summary result={data} />
          {data.calls.map((call) => (
            <ReplayedCallPanel key={call.position} call={call} />
          ))}
          {(page > 0 || data.evaluation.done > PAGE) && (
            <Row gap={3}>
              <Button disabled={page === 0} onClick={() => setPage(page - 1)}>
                {t("replays.previous")}
              </Button>
              <Button disabled={(page + 1) * PAGE >= data.evaluation.done} onClick={() => setPage(page + 1)}>
                {t("replays.next")}
              </Button>
            </Row>
          )}
        </Col>
      )}
    </>
  );
};

const Summary = ({ result: { evaluation, comparisons, verdicts } }: Readonly<{ result: EvaluationResult }>) => {
  const { t } = useTranslation();
  const { done, calls, failed, spent, max_cost: limit, target, judge } = evaluation;
  return (
    <Panel title={t("replays.figures")} action={<EvaluationStatus evaluation={evaluation} />}>
      <Col gap={4}>
        <KeyValue
          width={180}
          items={[
            [t("replays.progress"), `${formatNumber(done)} / ${formatNumber(calls)}`],
            [t("replays.failed"), formatNumber(failed)],
            [
              t("replays.spent"),
              <Row key="spent" gap={1}>
                <Money quota={spent} decimals={6} /> / <Money quota={limit} />
              </Row>,
            ],
            ...(target.prices
              ? [[t("replays.form.prices"), `$${target.prices.input} / $${target.prices.output}`] as const]
              : []),
            ...(target.system_prompt === undefined
              ? []
              : [[t("replays.form.prompt"), target.system_prompt || "–"] as const]),
            ...(judge ? [[t("experiments.judge"), judge.model] as const] : []),
          ]}
        />
        <FigureTable table={COMPARISON} rows={comparisons} />
        {verdicts && (
          <Box sx={{ fontSize: 13 }}>
            {t("replays.verdicts", {
              after: verdicts.after,
              before: verdicts.before,
              tie: verdicts.tie,
              unsure: verdicts.unsure,
            })}
          </Box>
        )}
        <Actions result={evaluation} />
      </Col>
    </Panel>
  );
};

const Actions = ({ result: { id, name, status, failed } }: Readonly<{ result: EvaluationResult["evaluation"] }>) => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const navigate = useNavigate();
  const confirm = useConfirm();
  const act = async (action: () => Promise<unknown>) => {
    await action().catch(notifyError);
    void client.invalidateQueries({ queryKey: ["replays"] });
  };
  const remove = async () => {
    const title = t("replays.deleteTitle", { name });
    const question = { title, body: t("replays.deleteBody"), action: t("replays.delete"), isDangerous: true };
    if (!(await confirm(question))) return;
    await act(() => deleteEvaluation(id));
    void navigate({ to: "/replays", search: {} });
  };
  if (status === "running") {
    return (
      <Row>
        <Button variant="outlined" onClick={() => void act(() => stopEvaluation(id))}>
          {t("replays.stop")}
        </Button>
      </Row>
    );
  }
  return (
    <Row gap={3} wrap>
      {(status !== "complete" || failed > 0) && (
        <Button variant="outlined" onClick={() => void act(() => resumeEvaluation(id, undefined))}>
          {t(status === "complete" ? "replays.retryFailed" : "replays.resume")}
        </Button>
      )}
      {status === "over_budget" && <RaiseLimit onRaise={(usd) => void act(() => resumeEvaluation(id, usd))} />}
      <Button onClick={() => void remove()}>{t("replays.delete")}</Button>
    </Row>
  );
};

const RAISES = [5, 20, 100] as const;

const RaiseLimit = ({ onRaise }: Readonly<{ onRaise: (usd: number) => void }>) => {
  const { t } = useTranslation();
  return RAISES.map((usd) => (
    <Button key={usd} variant="outlined" onClick={() => onRaise(usd)}>
      {t("replays.raise", { usd })}
    </Button>
  ));
};

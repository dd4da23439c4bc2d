import Verified from "@mui/icons-material/FactCheckOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { LabelledInput } from "../../../components/inputs/LabelledInput.tsx";
import { Col, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { type ChannelCheckView, channelChecks, runCheck } from "./check-calls.ts";

/** Whether channels serve the models that they claim to. */
export const ChannelChecksPage = () => {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useQuery(channelChecks);
  const { mutate, isPending: isRunning } = useMutation({
    mutationFn: ({ channelId, model }: Readonly<{ channelId: number; model: string }>) => runCheck(channelId, model),
    onError: notifyError,
    onSettled: () => client.invalidateQueries(channelChecks),
  });
  return (
    <>
      <PageHeader title={t("checks.title")} purpose={t("checks.purpose")} />
      <Col gap={4}>
        <NewCheck isRunning={isRunning} onRun={(channelId, model) => mutate({ channelId, model })} />
        {isPending && <Skeleton variant="rounded" height={240} />}
        {error && <ErrorState error={error} onRetry={() => refetch()} />}
        {data?.length === 0 && (
          <EmptyState icon={<Verified />} title={t("checks.empty.title")} body={t("checks.empty.body")} />
        )}
        {data?.map((check) => (
          <CheckPanel
            key={`${check.channel_id}/${check.model}`}
            check={check}
            isRunning={isRunning}
            onRun={() => mutate({ channelId: check.channel_id, model: check.model })}
          />
        ))}
      </Col>
    </>
  );
};

type NewCheckProps = Readonly<{ isRunning: boolean; onRun: (channelId: number, model: string) => void }>;

const NewCheck = ({ isRunning, onRun }: NewCheckProps) => {
  const { t } = useTranslation();
  const [channel, setChannel] = useState("");
  const [model, setModel] = useState("");
  const id = Number(channel.replace("#", ""));
  const isValid = Number.isSafeInteger(id) && id > 0 && model.trim() !== "";
  return (
    <Panel title={t("checks.run")} hint={t("checks.running")}>
      <Row gap={3} wrap sx={{ alignItems: "flex-end" }}>
        <LabelledInput label={t("checks.channel")} value={channel} placeholder="#7" onChange={setChannel} />
        <LabelledInput label={t("checks.model")} value={model} placeholder="gpt-4o" onChange={setModel} />
        <Button
          variant="contained"
          color="primary"
          loading={isRunning}
          disabled={!isValid}
          onClick={() => onRun(id, model.trim())}
        >
          {t("checks.run")}
        </Button>
      </Row>
    </Panel>
  );
};

type CheckPanelProps = Readonly<{ check: ChannelCheckView; isRunning: boolean; onRun: () => void }>;

const TONES = { pass: "ok", fail: "bad", unknown: "idle" } as const;

/** The latest check of a channel's model, with its evidence. */
const CheckPanel = ({ check, isRunning, onRun }: CheckPanelProps) => {
  const { t } = useTranslation();
  const { channel, channel_id: id, model, score, findings, cost, created_at: at, probes, is_low: isLow } = check;
  return (
    <Panel title={`${channel} (#${id}) · ${model}`}>
      <Col gap={2}>
        <Row gap={3} wrap>
          <StatusChip tone={score === null ? "idle" : isLow ? "bad" : "ok"}>
            {score === null ? t("checks.noScore") : t("checks.score", { score })}
          </StatusChip>
          <Button disabled={isRunning} onClick={onRun}>
            {t("checks.run")}
          </Button>
        </Row>
        {findings.map(({ check: name, outcome, detail }) => (
          <Row key={name} gap={3} wrap sx={{ fontSize: 13, alignItems: "baseline" }}>
            <Box sx={{ width: 240 }}>{t(`checks.names.${name}`)}</Box>
            <Box sx={{ width: 110 }}>
              <StatusChip tone={TONES[outcome]} quiet>
                {t(`checks.outcomes.${outcome}`)}
              </StatusChip>
            </Box>
            <Box className="num" sx={{ flex: 1, minWidth: 200, color: "text.secondary", overflowWrap: "anywhere" }}>
              {Object.entries(detail)
                .map(([key, value]) => `${key} ${value}`)
                .join(" · ")}
            </Box>
          </Row>
        ))}
        <Row gap={3} wrap sx={{ fontSize: 12, color: "text.tertiary" }}>
          <TimeAgo seconds={at} />
          <span>
            {t("checks.cost")} <Money quota={cost} decimals={6} />
          </span>
          <span>{t("checks.version", { version: probes })}</span>
        </Row>
      </Col>
    </Panel>
  );
};

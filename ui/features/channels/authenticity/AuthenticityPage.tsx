import Verified from "@mui/icons-material/FactCheckOutlined";
import Autocomplete from "@mui/material/Autocomplete";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import TextField from "@mui/material/TextField";
import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ChannelCheckView } from "../../../../src/domain/channels/authenticity/check-channel.ts";
import { readData } from "../../../api/client.ts";
import { channelCheckApi } from "../../../api/groups.ts";
import { Money } from "../../../components/display/Money.tsx";
import { StatusChip } from "../../../components/display/StatusChip.tsx";
import { TimeAgo } from "../../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../../components/feedback/ErrorState.tsx";
import { notifyError } from "../../../components/feedback/notify.tsx";
import { SettingLink } from "../../../components/feedback/SettingLink.tsx";
import { SuggestedInput } from "../../../components/inputs/NameListInput.tsx";
import { useSuggestionTexts } from "../../../components/inputs/suggestion-texts.ts";
import { Col, Field, PageHeader, Panel, Row } from "../../../components/layout.tsx";
import { formatNumber } from "../../../lib/format/number.ts";
import type { Channel } from "../channel.ts";
import { channelPage } from "../channel-queries.ts";

export type { ChannelCheckView };

export const channelChecks = queryOptions({
  queryKey: ["channel-checks"],
  queryFn: ({ signal }): Promise<readonly ChannelCheckView[]> => readData(channelCheckApi.get({ fetch: { signal } })),
});

export const runCheck = (channelId: number, model: string) =>
  readData(channelCheckApi.post({ channel_id: channelId, model }));

/** Whether channels serve the models that they claim to. */
export const AuthenticityPage = () => {
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
      <PageHeader title={t("authenticity.title")} purpose={t("authenticity.purpose")} />
      <Col gap={4}>
        <NewCheck isRunning={isRunning} onRun={(channelId, model) => mutate({ channelId, model })} />
        {isPending && <Skeleton variant="rounded" height={240} />}
        {error && <ErrorState error={error} onRetry={() => refetch()} />}
        {data?.length === 0 && (
          <EmptyState
            icon={<Verified />}
            title={t("authenticity.empty.title")}
            body={t("authenticity.empty.body")}
            action={<SettingLink tab="operation" field="ChannelAuthenticity" />}
          />
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

const MOST_CHANNELS = 20;

/** A channel, found by its name or id, and one of its models. */
const NewCheck = ({ isRunning, onRun }: NewCheckProps) => {
  const { t } = useTranslation();
  const suggestionTexts = useSuggestionTexts();
  const id = useId();
  const [channel, setChannel] = useState<Channel | null>(null);
  const [search, setSearch] = useState("");
  const [model, setModel] = useState("");
  // The name of the chosen channel is not something to look for.
  const keyword = channel && search === channelText(channel) ? "" : search.trim();
  const found = useQuery({
    ...channelPage({
      keyword: keyword || undefined,
      page: 0,
      pageSize: MOST_CHANNELS,
    }),
    placeholderData: keepPreviousData,
  });
  return (
    <Panel title={t("authenticity.run")} hint={t("authenticity.running")}>
      <Row gap={3} wrap sx={{ alignItems: "flex-end" }}>
        <Field label={t("authenticity.channel")} htmlFor={`${id}-channel`} sx={{ flex: "1 1 220px" }}>
          <Autocomplete
            {...suggestionTexts}
            id={`${id}-channel`}
            size="small"
            options={found.data?.items ?? []}
            // The server has filtered them.
            filterOptions={(all) => all}
            getOptionLabel={channelText}
            getOptionKey={(option) => option.id}
            isOptionEqualToValue={(option, value) => option.id === value.id}
            value={channel}
            onChange={(_, chosen) => {
              setChannel(chosen);
              setModel(modelsOf(chosen)[0] ?? "");
            }}
            inputValue={search}
            onInputChange={(_, text) => setSearch(text)}
            renderInput={(params) => <TextField {...params} />}
          />
        </Field>
        <Field label={t("authenticity.model")} htmlFor={`${id}-model`} sx={{ flex: "1 1 220px" }}>
          <SuggestedInput id={`${id}-model`} options={modelsOf(channel)} value={model} onChange={setModel} />
        </Field>
        <Button
          variant="contained"
          color="primary"
          loading={isRunning}
          disabled={channel === null || model.trim() === ""}
          onClick={() => channel && onRun(channel.id, model.trim())}
        >
          {t("authenticity.run")}
        </Button>
      </Row>
    </Panel>
  );
};

const channelText = ({ id, name }: Channel): string => `${name} (#${id})`;
const modelsOf = (channel: Channel | null): string[] => channel?.models.split(",").filter(Boolean) ?? [];

type CheckPanelProps = Readonly<{
  check: ChannelCheckView;
  isRunning: boolean;
  onRun: () => void;
}>;

const TONES = { pass: "ok", fail: "bad", unknown: "idle" } as const;

/** The latest check of a channel's model, with its evidence. */
const CheckPanel = ({ check, isRunning, onRun }: CheckPanelProps) => {
  const { t } = useTranslation();
  const { channel, channel_id: id, model, score, findings, cost, created_at: at, probes, is_low: isLow } = check;
  return (
    <Panel
      title={`${channel} (#${id}) · ${model}`}
      hint={
        <StatusChip tone={score === null ? "idle" : isLow ? "bad" : "ok"}>
          {score === null ? t("authenticity.noScore") : t("authenticity.score", { score })}
        </StatusChip>
      }
      action={
        <Button size="small" disabled={isRunning} onClick={onRun}>
          {t("authenticity.again")}
        </Button>
      }
    >
      <Col gap={0}>
        {findings.map(({ check: name, outcome, detail }) => (
          <Row
            key={name}
            gap={3}
            wrap
            sx={{
              py: 1.5,
              fontSize: 13,
              alignItems: "baseline",
              borderTop: "1px solid",
              borderColor: "line.faint",
            }}
          >
            <Box sx={{ width: 240 }}>{t(`authenticity.names.${name}`)}</Box>
            <Box sx={{ width: 110 }}>
              <StatusChip tone={TONES[outcome]} quiet>
                {t(`authenticity.outcomes.${outcome}`)}
              </StatusChip>
            </Box>
            <Box
              className="num"
              sx={{
                flex: 1,
                minWidth: 200,
                color: "text.secondary",
                overflowWrap: "anywhere",
              }}
            >
              <Evidence detail={detail} />
            </Box>
          </Row>
        ))}
        <Row
          gap={3}
          wrap
          sx={{
            pt: 2,
            fontSize: 12,
            color: "text.tertiary",
            borderTop: "1px solid",
            borderColor: "line.faint",
          }}
        >
          <TimeAgo seconds={at} />
          <span>
            {t("authenticity.cost")} <Money quota={cost} decimals={6} />
          </span>
          <span>{t("authenticity.version", { version: probes })}</span>
        </Row>
      </Col>
    </Panel>
  );
};

/** What a finding rests on. */
const EVIDENCE = [
  ...(["reported", "counted", "ratio", "tokens", "first", "second", "questions", "wrong", "p", "probability"] as const),
  ...(["answer", "example", "error"] as const),
];

/** Numbers and texts that a finding rests on, in words. */
const Evidence = ({ detail }: Pick<ChannelCheckView["findings"][number], "detail">) => {
  const { t } = useTranslation();
  return EVIDENCE.filter((key) => detail[key] !== undefined && detail[key] !== "")
    .map((key) => {
      const value = detail[key] ?? "";
      return t(`authenticity.evidence.${key}`, {
        value: typeof value === "number" ? formatNumber(value) : value,
      });
    })
    .join(" · ");
};

import Search from "@mui/icons-material/SearchOutlined";
import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import Skeleton from "@mui/material/Skeleton";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { type FormEvent, type ReactNode, useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { KeyStanding, KeyStandingResponse } from "../../../src/gateway/endpoints/lookup/billing.ts";
import { readEnvelope, readJson } from "../../api/client.ts";
import { logApi } from "../../api/groups.ts";
import { requestHeaders } from "../../api/request.ts";
import { DataTable } from "../../components/data-table/DataTable.tsx";
import { pageSizeAtom } from "../../components/data-table/url-state.ts";
import { useDataTable } from "../../components/data-table/use-data-table.ts";
import { Money } from "../../components/display/Money.tsx";
import { TimeAgo } from "../../components/display/TimeAgo.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { Field, PageHeader, Panel, Row } from "../../components/layout.tsx";
import { LogDetail } from "../logs/detail/LogDetail.tsx";
import { useLogColumns } from "../logs/detail/log-columns.tsx";
import { LogCard } from "../logs/entries/log-cells.tsx";
import { type LogEntry, useEntryName } from "../logs/entries/log-entry.ts";

/** Balance and usage of an API key, without sign-in. */
export const KeyUsagePage = () => {
  const { t } = useTranslation();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [lookup, setLookup] = useState({ key: "", time: 0 });
  const look = (event: FormEvent) => {
    event.preventDefault();
    const key = typed.trim();
    if (key !== "") setLookup({ key, time: Date.now() });
  };
  return (
    <Box sx={{ maxWidth: 1200, mx: "auto", width: "100%", px: { xs: 3, sm: 6 }, py: 6 }}>
      <PageHeader title={t("keyUsage.title")} purpose={t("keyUsage.purpose")} />
      <Box component="form" onSubmit={look} sx={{ mb: 5, maxWidth: 680 }}>
        <Field label={t("keyUsage.key")} htmlFor={id} hint={t("keyUsage.keyHint")}>
          <Row gap={2}>
            <OutlinedInput
              id={id}
              fullWidth
              autoFocus
              value={typed}
              placeholder="sk-…"
              autoComplete="off"
              inputProps={{ className: "mono", spellCheck: false, maxLength: 200 }}
              onChange={(event) => setTyped(event.target.value)}
            />
            <Button type="submit" variant="contained" color="primary" disabled={typed.trim() === ""}>
              {t("keyUsage.look")}
            </Button>
          </Row>
        </Field>
      </Box>
      {lookup.key === "" ? (
        <EmptyState icon={<Search />} title={t("keyUsage.emptyTitle")} body={t("keyUsage.emptyBody")} />
      ) : (
        <KeyRecords key={`${lookup.key} ${lookup.time}`} apiKey={lookup.key} />
      )}
    </Box>
  );
};

const HIDDEN: ReadonlySet<string> = new Set(["token", "group"]);

const KeyRecords = ({ apiKey }: { apiKey: string }) => {
  const { t } = useTranslation();
  const [page, setPage] = useState(0);
  const [pageSize, setPageSize] = useAtom(pageSizeAtom);
  const list = useQuery(keyLog(apiKey, page, pageSize));
  const nameOf = useEntryName();
  const all = useLogColumns(false, nobody);
  const columns = useMemo(
    () => all.filter(({ key, isHiddenByDefault }) => !isHiddenByDefault && !HIDDEN.has(key)),
    [all],
  );
  const model = useDataTable({
    columns,
    rows: list.data?.data,
    rowId: idOf,
    rowName: nameOf,
    detail: detailOf,
  });
  return (
    <>
      <KeyStatusPanel apiKey={apiKey} />
      <DataTable
        model={model}
        isRefreshing={list.isPlaceholderData}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={<EmptyState icon={<Search />} title={t("keyUsage.unusedTitle")} body={t("keyUsage.unusedBody")} />}
        paging={{
          page,
          pageSize,
          total: list.data?.total ?? 0,
          unit: t("logs.unit"),
          onPage: setPage,
          onPageSize: (size) => {
            setPageSize(size);
            setPage(0);
          },
        }}
        card={(entry) => <LogCard entry={entry} isAdmin={false} />}
      />
    </>
  );
};

/** Only administrators can view users. */
const nobody = () => {};
const idOf = (entry: LogEntry): number => entry.id;
const detailOf = (entry: LogEntry) => <LogDetail entry={entry} place="visitor" />;

/** A key's remaining and used quota and expiry; the server's message if the key doesn't work. */
const KeyStatusPanel = ({ apiKey }: { apiKey: string }) => {
  const { t } = useTranslation();
  const { data, error } = useQuery(keyStatus(apiKey));
  if (error)
    return (
      <Alert severity="warning" sx={{ mb: 4 }}>
        {error.message}
      </Alert>
    );
  return (
    <Panel title={data?.name ?? <Skeleton width={80} />} sx={{ mb: 4 }}>
      <Box sx={{ display: "grid", gap: 4, gridTemplateColumns: "repeat(auto-fit, minmax(140px, 1fr))" }}>
        <Figure name={t("keyUsage.remaining")}>
          {data && (data.unlimited_quota ? t("apiKeys.unlimited") : <Money quota={data.total_available} />)}
        </Figure>
        <Figure name={t("keyUsage.used")}>{data && <Money quota={data.total_used} />}</Figure>
        <Figure name={t("apiKeys.columns.expires")}>
          {data && (data.expires_at === 0 ? t("apiKeys.never") : <TimeAgo seconds={data.expires_at} />)}
        </Figure>
        <Figure name={t("apiKeys.columns.models")}>{data && modelsOf(data, t("apiKeys.allModels"))}</Figure>
      </Box>
    </Panel>
  );
};

const modelsOf = ({ model_limits_enabled, model_limits }: KeyStanding, all: string): string =>
  model_limits_enabled ? Object.keys(model_limits).join(", ") : all;

const Figure = ({ name, children }: { name: string; children: ReactNode }) => (
  <Box sx={{ minWidth: 0 }}>
    <Box sx={{ fontSize: 12, color: "text.tertiary" }}>{name}</Box>
    <Box className="num" sx={{ fontSize: 16, fontWeight: 560, overflowWrap: "anywhere" }}>
      {children ?? <Skeleton width={90} />}
    </Box>
  </Box>
);

export type { KeyStanding };

/** Not cached after the page closes, because the API key is part of the cache key. */
const FORGET = { gcTime: 0, retry: false } as const;

/** Sends the key in a header, so that it is in no URL, and without the session. */
const asKey = (key: string) => ({ authorization: `Bearer ${key}` });

const keyStatus = (key: string) =>
  queryOptions({
    queryKey: ["key-standing", key],
    queryFn: async ({ signal }) => {
      const init = { credentials: "omit", headers: { ...requestHeaders(""), ...asKey(key) }, signal } as const;
      return (await readJson<KeyStandingResponse>("/api/usage/token", init)).data;
    },
    ...FORGET,
  });

const keyLog = (key: string, page: number, pageSize: number) =>
  queryOptions({
    queryKey: ["key-log", key, page, pageSize],
    queryFn: ({ signal }) =>
      readEnvelope(
        logApi.token.get({
          query: { p: page + 1, page_size: pageSize },
          headers: asKey(key),
          fetch: { credentials: "omit", signal },
        }),
        { stayOn401: true },
      ),
    placeholderData: keepPreviousData,
    ...FORGET,
  });

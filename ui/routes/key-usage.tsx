import Search from "@mui/icons-material/SearchOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import OutlinedInput from "@mui/material/OutlinedInput";
import { useQuery } from "@tanstack/react-query";
import { useAtom } from "jotai";
import { type FormEvent, useId, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { DataTable } from "../components/data-table/DataTable.tsx";
import { pageSizeAtom } from "../components/data-table/url-state.ts";
import { useDataTable } from "../components/data-table/use-data-table.ts";
import { EmptyState } from "../components/EmptyState.tsx";
import { Field, Row } from "../components/layout.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { keyLog } from "../features/key-usage/key-queries.ts";
import { StandingPanel } from "../features/key-usage/StandingPanel.tsx";
import { LogDetail } from "../features/logs/detail/LogDetail.tsx";
import { LogCard } from "../features/logs/LogCard.tsx";
import { useLogColumns } from "../features/logs/log-columns.tsx";
import type { LogEntry } from "../features/logs/log-entry.ts";
import { useEntryName } from "../features/logs/use-entry-name.ts";

/** What a key has left and what it was used for, for whoever has it; no login. */
export const KeyUsagePage = () => {
  const { t } = useTranslation();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [asked, setAsked] = useState({ key: "", time: 0 });
  const look = (event: FormEvent) => {
    event.preventDefault();
    const key = typed.trim();
    if (key !== "") setAsked({ key, time: Date.now() });
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
      {asked.key === "" ? (
        <EmptyState icon={<Search />} title={t("keyUsage.emptyTitle")} body={t("keyUsage.emptyBody")} />
      ) : (
        <KeyRecords key={`${asked.key} ${asked.time}`} apiKey={asked.key} />
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
      <StandingPanel apiKey={apiKey} />
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

/** Users are for administrators to look at. */
const nobody = () => {};
const idOf = (entry: LogEntry): number => entry.id;
const detailOf = (entry: LogEntry) => <LogDetail entry={entry} place="visitor" />;

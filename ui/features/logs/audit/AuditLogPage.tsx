import History from "@mui/icons-material/ManageHistoryOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../../src/domain/logs/audit/list-audit.ts";
import { readData, requestDownload } from "../../../api/client.ts";
import { auditApi } from "../../../api/groups.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { addressSort, useAddressPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { DownloadButton } from "../../../components/display/DownloadButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { DateTimeInput } from "../../../components/inputs/date-time/DateTimeInput.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { SavedViews } from "../../../components/inputs/SavedViews.tsx";
import { PageHeader, Row } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { exactTime } from "../../../lib/format/time.ts";
import { sayNote } from "../entries/log-entry.ts";
import { AuditCard, Differences, useAuditColumns } from "./audit-columns.tsx";
import { noteCodesWith } from "./differences.ts";

export const ACTIONS = ["create", "update", "delete", "enable", "disable", "promote", "demote", "read"] as const;

/** What administrators changed, with values before and after. */
export const AuditLogPage = () => {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const columns = useAuditColumns();
  const sorting = addressSort(address, "time");
  const { page, pageSize, pagingOf } = useAddressPaging(address);
  const texts: Readonly<Record<string, string>> = i18n.getResource(i18n.language, "translation", "logNotes.texts");
  const query = {
    target: address.text("search") || undefined,
    notes: noteCodesWith(address.text("search"), texts).join(".") || undefined,
    actor: address.text("actor") || undefined,
    action: address.text("action") || undefined,
    start_timestamp: address.number("start"),
    end_timestamp: address.number("end"),
  };
  const list = useQuery({
    ...auditPage({ ...query, order: sorting.query.order }, page, pageSize),
    placeholderData: keepPreviousData,
  });
  const time = (key: "start" | "end") => (
    <Row gap={2} sx={{ fontSize: 12.5, color: "text.secondary" }}>
      <Box component="span" aria-hidden sx={{ minWidth: { xs: 36, sm: 0 } }}>
        {t(`audit.filters.${key}`)}
      </Box>
      <Box sx={{ width: 208 }}>
        <DateTimeInput
          label={t(`audit.filters.${key}`)}
          value={address.number(key) ?? null}
          onChange={(seconds) => seconds !== undefined && address.set({ [key]: seconds ?? undefined, p: undefined })}
        />
      </Box>
    </Row>
  );
  const model = useDataTable({
    columns,
    rows: list.data?.items,
    rowId: idOf,
    rowName: ({ note, content }) => sayNote(note, content, t, i18n.language),
    sort: sorting.sort,
    onSort: sorting.onSort,
  });
  return (
    <>
      <PageHeader
        title={t("audit.title")}
        purpose={t("audit.purpose")}
        actions={<DownloadButton request={() => requestDownload(auditApi.export, query)} />}
      />
      <FilterBar
        search={{ value: address.text("search"), placeholder: t("audit.filters.search") }}
        filters={[
          { key: "actor", label: t("audit.filters.actor"), value: address.text("actor") },
          {
            key: "action",
            label: t("audit.filters.action"),
            value: address.text("action"),
            options: ACTIONS.map((action) => ({ value: action, label: t(`audit.actions.${action}`) })),
          },
        ]}
        onChange={(key, value) => address.set({ [key]: value, p: undefined })}
        onClear={address.clear}
        tools={
          <Row wrap>
            {time("start")}
            {time("end")}
            <SavedViews list="audit" />
          </Row>
        }
      />
      <DataTable
        model={model}
        isRefreshing={list.isPlaceholderData}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={<EmptyState icon={<History />} title={t("audit.none.title")} body={t("audit.none.body")} />}
        paging={pagingOf(list.data?.total, t("audit.unit"))}
        card={(entry) => <AuditCard entry={entry} />}
        onOpen={setOpened}
      />
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(null)} />}
    </>
  );
};

/** An entry with the values before and after. */
export const EntryDialog = ({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) => {
  const { t, i18n } = useTranslation();
  const id = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id} sx={{ fontSize: 16, fontWeight: 620, pb: 1, overflowWrap: "anywhere" }}>
        {sayNote(entry.note, entry.content, t, i18n.language)}
      </DialogTitle>
      <DialogContent>
        <Box sx={{ fontSize: 13, color: "text.secondary", mb: 4 }}>
          {entry.username} (#{entry.user_id}) · {exactTime(entry.created_at, i18n.language)}
        </Box>
        <Differences entry={entry} />
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};

const idOf = ({ id }: AuditEntry) => id;

type AuditQuery = Readonly<{
  actor?: string | undefined;
  target?: string | undefined;
  /** Codes of the notes whose translated text contains `target`, joined by dots. */
  notes?: string | undefined;
  action?: string | undefined;
  start_timestamp?: number | undefined;
  end_timestamp?: number | undefined;
  /** asc: the oldest first. */
  order?: string | undefined;
}>;

/** `page` is zero-based. */
const auditPage = (query: AuditQuery, page: number, pageSize: number) =>
  queryOptions({
    queryKey: ["audit", query, page, pageSize],
    queryFn: ({ signal }) =>
      readData(auditApi.get({ query: { ...query, p: page + 1, page_size: pageSize }, fetch: { signal } })),
  });

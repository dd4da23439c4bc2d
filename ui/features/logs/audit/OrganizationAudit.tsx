import History from "@mui/icons-material/ManageHistoryOutlined";
import Box from "@mui/material/Box";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "../../../../src/domain/logs/audit/list-audit.ts";
import { useActing, useOrganizationOptions } from "../../../api/accounts/use-organization.ts";
import { readData, requestDownload } from "../../../api/client.ts";
import { auditApi } from "../../../api/groups.ts";
import { DataTable } from "../../../components/data-table/DataTable.tsx";
import { addressSort, useAddressPaging } from "../../../components/data-table/url-state.ts";
import { useDataTable } from "../../../components/data-table/use-data-table.ts";
import { DownloadButton } from "../../../components/display/DownloadButton.tsx";
import { EmptyState } from "../../../components/feedback/EmptyState.tsx";
import { FilterBar } from "../../../components/inputs/FilterBar.tsx";
import { Panel } from "../../../components/layout.tsx";
import { useAddress } from "../../../components/use-address.ts";
import { sayNote } from "../entries/log-entry.ts";
import { ACTIONS, EntryDialog } from "./AuditLogPage.tsx";
import { AuditCard, useAuditColumns } from "./audit-columns.tsx";
import { noteCodesWith } from "./differences.ts";

const CHANGES_WIDTH = 290;
const FILTERS = ["search", "project", "member", "action"] as const;

/** Who changed what of the organization that the user acts for. */
export const OrganizationAudit = () => {
  const { t, i18n } = useTranslation();
  const address = useAddress();
  const { id, may } = useActing();
  const options = useOrganizationOptions();
  const [opened, setOpened] = useState<AuditEntry | null>(null);
  const all = useAuditColumns();
  // What was done begins with the name of who did it, and the panel is narrower than a page.
  const columns = useMemo(
    () =>
      all
        .filter(({ key }) => key !== "actor")
        .map((column) => (column.key === "changes" ? { ...column, width: CHANGES_WIDTH } : column)),
    [all],
  );
  const sorting = addressSort(address, "time");
  const { page, pageSize, pagingOf } = useAddressPaging(address);
  const texts: Readonly<Record<string, string>> = i18n.getResource(i18n.language, "translation", "logNotes.texts");
  const search = address.text("search");
  const query = {
    target: search || undefined,
    notes: noteCodesWith(search, texts).join(".") || undefined,
    project: address.number("project"),
    member: address.number("member"),
    action: address.text("action") || undefined,
  };
  const paging = { ...query, order: sorting.query.order, p: page + 1, page_size: pageSize };
  const list = useQuery({
    queryKey: ["organization", id, "audit", paging],
    queryFn: ({ signal }) => readData(auditApi.self.get({ query: paging, fetch: { signal } })),
    placeholderData: keepPreviousData,
  });
  const model = useDataTable({
    columns,
    rows: list.data?.items,
    rowId: (entry) => entry.id,
    rowName: ({ note, content }) => sayNote(note, content, t, i18n.language),
    sort: sorting.sort,
    onSort: sorting.onSort,
  });
  const choices = { project: options?.projects ?? [], member: options?.members ?? [] };
  return (
    <Panel
      title={t("audit.title")}
      hint={t("audit.ownPurpose")}
      action={
        may("exports.download") && <DownloadButton request={() => requestDownload(auditApi.self.export, query)} />
      }
    >
      <FilterBar
        search={{ value: search, placeholder: t("audit.filters.search") }}
        filters={[
          ...(["project", "member"] as const).map((key) => ({
            key,
            label: t(`audit.filters.${key}`),
            value: address.text(key),
            options: choices[key],
          })),
          {
            key: "action",
            label: t("audit.filters.action"),
            value: address.text("action"),
            options: ACTIONS.map((action) => ({ value: action, label: t(`audit.actions.${action}`) })),
          },
        ]}
        onChange={(key, value) => address.set({ [key]: value, p: undefined })}
        onClear={() => address.set({ ...Object.fromEntries(FILTERS.map((key) => [key, ""])), p: undefined })}
      />
      <Box sx={{ mt: 3 }}>
        <DataTable
          model={model}
          isRefreshing={list.isPlaceholderData}
          error={list.error}
          onRetry={() => list.refetch()}
          empty={<EmptyState icon={<History />} title={t("audit.none.title")} body={t("audit.none.ownBody")} />}
          paging={pagingOf(list.data?.total, t("audit.unit"))}
          card={(entry) => <AuditCard entry={entry} />}
          onOpen={setOpened}
        />
      </Box>
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(null)} />}
    </Panel>
  );
};

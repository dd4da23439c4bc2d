import ReceiptLong from "@mui/icons-material/ReceiptLongOutlined";
import Sync from "@mui/icons-material/SyncOutlined";
import Button from "@mui/material/Button";
import Dialog from "@mui/material/Dialog";
import DialogActions from "@mui/material/DialogActions";
import DialogContent from "@mui/material/DialogContent";
import DialogTitle from "@mui/material/DialogTitle";
import FormControlLabel from "@mui/material/FormControlLabel";
import IconButton from "@mui/material/IconButton";
import Skeleton from "@mui/material/Skeleton";
import Switch from "@mui/material/Switch";
import Tooltip from "@mui/material/Tooltip";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { requestDownload } from "../../api/client.ts";
import { ColumnTools } from "../../components/data-table/ColumnTools.tsx";
import { DataTable } from "../../components/data-table/DataTable.tsx";
import { useAddressPaging } from "../../components/data-table/url-state.ts";
import { type TableModel, useDataTable } from "../../components/data-table/use-data-table.ts";
import { DownloadButton } from "../../components/display/DownloadButton.tsx";
import { KeyValue } from "../../components/display/KeyValue.tsx";
import { Count, Money } from "../../components/display/Money.tsx";
import { EmptyState } from "../../components/feedback/EmptyState.tsx";
import { ErrorState } from "../../components/feedback/ErrorState.tsx";
import { FilterBar } from "../../components/inputs/FilterBar.tsx";
import { SavedViews } from "../../components/inputs/SavedViews.tsx";
import { PageHeader } from "../../components/layout.tsx";
import { type Address, useAddress } from "../../components/use-address.ts";
import { useSeesAllUsers } from "../account/organizations/use-organization.ts";
import { LogDetail } from "./detail/LogDetail.tsx";
import { LogCard } from "./log-cells.tsx";
import { useLogColumns } from "./log-columns.tsx";
import { LOG_TYPES, type LogEntry, useEntryName } from "./log-entry.ts";
import { logFacet } from "./log-facets.ts";
import {
  FAILED,
  isNarrowed,
  type LogFilters,
  logExport,
  logFiltersOf,
  logPage,
  parametersOf,
  userFacts,
} from "./log-queries.ts";
import { Overview } from "./Overview.tsx";
import { rangeOf, useNow } from "./time-range.ts";

/** The usage log: the user's own calls; all calls for administrators. */
export const UsageLogPage = () => {
  const { t } = useTranslation();
  const address = useAddress();
  const isForAdmin = useSeesAllUsers();
  const scope = isForAdmin ? "all" : "self";
  const [isFollowing, setFollowing] = useState(false);
  const [now, renew] = useNow(isFollowing);
  const [userId, setUserId] = useState<number | null>(null);
  const range = rangeOf({ range: address.text("range"), from: address.number("from"), to: address.number("to") }, now);
  const filters = logFiltersOf(address, range);
  const { page, pageSize, pagingOf } = useAddressPaging(address);
  const list = useQuery(logPage(scope, filters, page, pageSize));
  const nameOf = useEntryName();
  const columns = useLogColumns(isForAdmin, setUserId);
  const model = useDataTable({
    columns,
    rows: list.data?.items,
    rowId: idOf,
    rowName: nameOf,
    detail: detailOf,
    columnsKey: "logs-table-columns",
  });
  return (
    <>
      <PageHeader
        title={t("logs.title")}
        purpose={t("logs.purpose")}
        actions={
          <>
            <FormControlLabel
              label={t("logs.follow")}
              control={<Switch checked={isFollowing} onChange={(event) => setFollowing(event.target.checked)} />}
              sx={{
                m: 0,
                mr: 2,
                gap: 2,
                "& .MuiFormControlLabel-label": { fontSize: 13, color: "text.secondary", whiteSpace: "nowrap" },
              }}
            />
            <Tooltip title={t("logs.refresh")}>
              <IconButton aria-label={t("logs.refresh")} onClick={renew}>
                <Sync />
              </IconButton>
            </Tooltip>
            <DownloadButton request={() => requestDownload(logExport(scope), parametersOf(scope, filters))} />
          </>
        }
      />
      <Overview
        scope={scope}
        filters={filters}
        range={range}
        now={now}
        onNamed={(name) => {
          renew();
          address.set({ range: name, from: undefined, to: undefined, p: undefined });
        }}
        onCustom={(from, to) => address.set({ from, to, range: undefined, p: undefined })}
      />
      <LogFilterBar address={address} isAdmin={isForAdmin} filters={filters} model={model} />
      <DataTable
        model={model}
        isRefreshing={list.isPlaceholderData && !isFollowing}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={<LogsEmpty isFiltered={isNarrowed(filters) || range.name !== "30d"} requestId={filters.requestId} />}
        paging={pagingOf(list.data?.total, t("logs.unit"))}
        card={(entry) => <LogCard entry={entry} isAdmin={isForAdmin} />}
      />
      {userId !== null && <UserDialog id={userId} onClose={() => setUserId(null)} />}
    </>
  );
};

const idOf = (entry: LogEntry): number => entry.id;
const detailOf = (entry: LogEntry) => <LogDetail entry={entry} />;

const OWN = ["model", "token", "group"] as const;
const ADMIN = ["model", "token", "user", "channel", "group"] as const;

type LogFilterBarProps = Readonly<{
  address: Address;
  isAdmin: boolean;
  filters: LogFilters;
  model: TableModel<LogEntry>;
}>;

/** The filters of the log, apart from time. */
const LogFilterBar = ({ address, isAdmin, filters, model }: LogFilterBarProps) => {
  const { t } = useTranslation();
  const types = [
    ...Object.entries(LOG_TYPES).map(([name, type]) => ({ value: String(type), label: t(`logs.types.${name}`) })),
    { value: FAILED, label: t("logs.types.failed") },
  ];
  return (
    <FilterBar
      search={{ value: address.text("search"), placeholder: t("logs.filters.search") }}
      filters={[
        { key: "type", label: t("logs.filters.type"), value: address.text("type"), options: types },
        ...(isAdmin ? ADMIN : OWN).map((key) => ({
          key,
          label: t(`logs.filters.${key}`),
          value: address.text(key),
          suggestions: logFacet(isAdmin ? "all" : "self", key, filters),
        })),
      ]}
      onChange={(key, value) => address.set({ [key]: value, p: undefined })}
      onClear={() =>
        address.set({ search: "", type: "", model: "", token: "", user: "", channel: "", group: "", p: undefined })
      }
      tools={
        <>
          <SavedViews list="logs" />
          <ColumnTools model={model} />
        </>
      }
    />
  );
};

/** Empty state: no calls yet, or no match; a request searched by its id may still exist outside the list. */
const LogsEmpty = ({ isFiltered, requestId }: { isFiltered: boolean; requestId?: string | undefined }) => {
  const { t } = useTranslation();
  if (requestId) {
    return (
      <EmptyState
        icon={<ReceiptLong />}
        title={t("logs.empty.requestTitle")}
        body={t("logs.empty.requestBody")}
        action={
          <Button component={Link} to={`/log/${encodeURIComponent(requestId)}`}>
            {t("logs.empty.requestAction")}
          </Button>
        }
      />
    );
  }
  if (isFiltered) {
    return (
      <EmptyState icon={<ReceiptLong />} title={t("logs.empty.filteredTitle")} body={t("logs.empty.filteredBody")} />
    );
  }
  return (
    <EmptyState
      icon={<ReceiptLong />}
      title={t("logs.empty.title")}
      body={t("logs.empty.body")}
      action={
        <Button component={Link} to="/token" variant="contained" color="primary">
          {t("logs.empty.action")}
        </Button>
      }
    />
  );
};

/** Balance, use and number of requests of a user, for administrators. */
const UserDialog = ({ id, onClose }: { id: number; onClose: () => void }) => {
  const { t } = useTranslation();
  const titleId = useId();
  const { data: user, error, refetch } = useQuery(userFacts(id));
  const wait = <Skeleton variant="rounded" width={96} height={14} sx={{ my: "3px" }} />;
  return (
    <Dialog open onClose={onClose} aria-labelledby={titleId} fullWidth maxWidth="xs">
      <DialogTitle id={titleId} sx={{ fontSize: 16, fontWeight: 620 }}>
        {t("logs.user.title", { name: user?.username ?? `#${id}` })}
      </DialogTitle>
      <DialogContent>
        {error ? (
          <ErrorState error={error} onRetry={() => refetch()} />
        ) : (
          <KeyValue
            items={[
              [t("logs.user.balance"), user ? <Money key="balance" quota={user.quota} decimals={6} /> : wait],
              [t("logs.user.used"), user ? <Money key="used" quota={user.used_quota} decimals={6} /> : wait],
              [t("logs.user.requests"), user ? <Count key="requests" value={user.request_count} /> : wait],
            ]}
          />
        )}
      </DialogContent>
      <DialogActions sx={{ px: 6, pb: 4 }}>
        <Button onClick={onClose}>{t("components.close")}</Button>
      </DialogActions>
    </Dialog>
  );
};

import Hub from "@mui/icons-material/HubOutlined";
import Button from "@mui/material/Button";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import type { RowId } from "../components/data-table/column.ts";
import { DataTable } from "../components/data-table/DataTable.tsx";
import { readPageSize, savePageSize } from "../components/data-table/page-size.ts";
import { useColumnChoice } from "../components/data-table/useColumnChoice.ts";
import { EmptyState } from "../components/EmptyState.tsx";
import { PageHeader } from "../components/PageHeader.tsx";
import { useAddress } from "../components/useAddress.ts";
import { BatchBar } from "../features/channels/BatchBar.tsx";
import { ChannelCard } from "../features/channels/ChannelCard.tsx";
import { ChannelFilters } from "../features/channels/ChannelFilters.tsx";
import type { Channel } from "../features/channels/channel.ts";
import { channelQueryOf, isFiltered } from "../features/channels/channel-address.ts";
import { useChannelColumns } from "../features/channels/channel-columns.tsx";
import { channelPage, channelTypes } from "../features/channels/channel-queries.ts";
import { ChannelDrawer } from "../features/channels/drawer/ChannelDrawer.tsx";
import { drawerOf } from "../features/channels/drawer-path.ts";
import { HeaderActions } from "../features/channels/HeaderActions.tsx";
import { useIdSort } from "../features/channels/id-sort.ts";
import { TestAllBar } from "../features/channels/TestAllBar.tsx";
import { TestDialog } from "../features/channels/TestDialog.tsx";
import { useChannelActions } from "../features/channels/use-channel-actions.ts";
import { useRowActions } from "../features/channels/use-row-actions.tsx";
import { useTestAll } from "../features/channels/use-test-all.ts";

const NO_ROWS: ReadonlySet<RowId> = new Set();

/** Channels: the list, what can be done with one, some or all of them, and the drawer to add and edit. */
export const ChannelListPage = () => {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const address = useAddress();
  const drawer = drawerOf(useLocation().pathname);
  const [pageSize, setPageSize] = useState(readPageSize);
  const [idSort, setIdSort] = useIdSort();
  const [selected, setSelected] = useState(NO_ROWS);
  const [tested, setTested] = useState<Channel | null>(null);
  const testAll = useTestAll();
  const types = useQuery(channelTypes).data;
  const query = channelQueryOf(address, pageSize, idSort);
  const list = useQuery({ ...channelPage(query), placeholderData: keepPreviousData });

  const actions = useChannelActions();
  const columns = useColumnChoice(
    useChannelColumns(
      actions,
      useMemo(() => types ?? [], [types]),
    ),
    "channels-table-columns",
  );
  const go = (to: "/channel" | "/channel/add") => navigate({ to, search: true });
  const edit = useCallback(
    (channel: Channel) => navigate({ to: "/channel/edit/$id", params: { id: String(channel.id) }, search: true }),
    [navigate],
  );
  const rowActions = useRowActions(actions, edit, setTested);
  const clearSelection = useCallback(() => setSelected(NO_ROWS), []);
  return (
    <>
      <PageHeader
        title={t("channels.title")}
        purpose={t("channels.purpose")}
        actions={
          <HeaderActions
            counts={list.data?.counts}
            isTesting={testAll.progress !== undefined}
            onTestAll={testAll.start}
            onAdd={() => go("/channel/add")}
          />
        }
      />
      {testAll.progress && <TestAllBar progress={testAll.progress} onCancel={testAll.cancel} />}
      <ChannelFilters
        address={address}
        types={types ?? []}
        counts={list.data?.counts}
        columns={columns}
        idSort={idSort}
        onIdSort={(isOn) => {
          setIdSort(isOn);
          address.set({ sort: undefined, order: undefined, p: undefined });
        }}
      />
      <DataTable
        columns={columns.shown}
        rows={list.data?.items}
        rowId={idOf}
        rowName={nameOf}
        isRefreshing={list.isPlaceholderData}
        error={list.error}
        onRetry={() => list.refetch()}
        empty={
          isFiltered(query) ? (
            <EmptyState
              icon={<Hub />}
              title={t("channels.empty.filteredTitle")}
              body={t("channels.empty.filteredBody")}
              action={<Button onClick={address.clear}>{t("components.filter.clear")}</Button>}
            />
          ) : (
            <EmptyState
              icon={<Hub />}
              title={t("channels.empty.title")}
              body={t("channels.empty.body")}
              action={
                <Button variant="contained" color="primary" onClick={() => go("/channel/add")}>
                  {t("channels.add")}
                </Button>
              }
            />
          )
        }
        sort={{ key: query.sort ?? (query.idSort ? "id" : "priority"), isDescending: query.order !== "asc" }}
        onSort={({ key, isDescending }) =>
          address.set({ sort: key, order: isDescending ? undefined : "asc", p: undefined })
        }
        paging={{
          page: query.page,
          pageSize,
          total: list.data?.total ?? 0,
          unit: t("channels.unit"),
          onPage: (page) => address.set({ p: page || undefined }),
          onPageSize: (size) => {
            savePageSize(size);
            setPageSize(size);
            address.set({ p: undefined });
          },
        }}
        selection={{ selected, onChange: setSelected }}
        card={(channel) => <ChannelCard channel={channel} actions={actions} />}
        actions={rowActions}
        onOpen={edit}
        isDim={isOff}
      />
      {selected.size > 0 && drawer === null && <BatchBar ids={[...selected].map(Number)} onClear={clearSelection} />}
      {drawer && <ChannelDrawer key={drawer.id} id={drawer.id} onClose={() => go("/channel")} />}
      {tested && <TestDialog channel={tested} onClose={() => setTested(null)} />}
    </>
  );
};

const idOf = (channel: Channel): RowId => channel.id;
const nameOf = (channel: Channel): string => channel.name;
const isOff = (channel: Channel): boolean => channel.status === 2;
